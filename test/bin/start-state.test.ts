/** The state folder of `npm start`: one start at a time, private, and a runtime that is started again. */

import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { LockedError } from '#bin/start/lock.ts'
import { recordRuntime, runtimeLeftBehind } from '#bin/start/runtime-record.ts'
import { assertStateFolder, openStateFolder } from '#bin/start/state-folder.ts'
import { maxQuickEnds } from '#bin/start/supervision.ts'
import { makeFolder } from '../support/folder.ts'
import { freePort, startProgram, waitFor } from '../support/process.ts'
import { greeting, onlyPort, startSluice } from '../support/start.ts'
import { eventually } from '../support/wait.ts'

const folder = makeFolder()

const refuseWarnings = (line: string) => {
  throw new Error(line)
}

async function start(persist: string, env: NodeJS.ProcessEnv = {}) {
  const port = await freePort()
  const program = startSluice(['--persist', persist, ...onlyPort(port)], env)
  return { program, url: `http://127.0.0.1:${port}` }
}

const runtimeOf = (persist: string): number => JSON.parse(readFileSync(join(persist, 'runtime.json'), 'utf8')).pid

const isAlive = (pid: number) => {
  try {
    // A zombie that waits for its parent takes signals as well.
    process.kill(pid, 0)
    const isZombie = process.platform === 'linux' && /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
    return !isZombie
  } catch {
    return false
  }
}

const health = (url: string) =>
  fetch(`${url}/healthcheck`).then(
    ({ status }) => status,
    () => 0,
  )

describe('openStateFolder()', () => {
  it('refuses a folder of sluice workerd, whose runtime holds no lock of a start', async () => {
    const written = mkdtempSync(join(folder, 'workerd-'))
    writeFileSync(join(written, 'sluice.capnp'), '')
    await expect(openStateFolder(written, refuseWarnings)).rejects.toThrow(
      `Cannot start: ${written} was written by sluice workerd, expected another folder`,
    )
  })

  it.each([
    ['a build before the first release, which wrote no file beside it', null, 'holds state of a build before'],
    ['a newer release', '{"format":2}', 'holds state of format 2, expected format 1: start the release that'],
  ])('refuses state of %s, and changes nothing', async (_, record, message) => {
    const left = mkdtempSync(join(folder, 'left-'))
    mkdirSync(join(left, 'state/index-NodeObject'), { recursive: true })
    writeFileSync(join(left, 'state/index-NodeObject/1.sqlite'), 'SQLite format 3\0')
    if (record !== null) writeFileSync(join(left, 'state.json'), record)
    const before = readdirSync(left)
    await expect(openStateFolder(left, refuseWarnings)).rejects.toThrow(`Cannot start: ${left} ${message}`)
    expect(() => assertStateFolder(left)).toThrow(`Cannot start: ${left} ${message}`)
    expect(readdirSync(left)).toEqual(before)
  })
})

describe('openStateFolder()', () => {
  const modeOf = (path: string) => statSync(path).mode & 0o777

  it('makes a folder and those above it for its owner only', async () => {
    const { path, lock } = await openStateFolder(join(folder, 'a/b/c'), refuseWarnings)
    expect([path, join(path, '..'), join(path, 'state')].map(modeOf)).toEqual([0o700, 0o700, 0o700])
    lock?.release()
  })

  it('leaves the permissions of a folder that was there, and keeps the state in it to its owner', async () => {
    const open = join(folder, 'open')
    mkdirSync(join(open, 'state'), { recursive: true, mode: 0o755 })
    const { lock } = await openStateFolder(open, refuseWarnings)
    expect([modeOf(open), modeOf(join(open, 'state'))]).toEqual([0o755, 0o700])
    lock?.release()
  })

  it('warns of a folder in which others can put files', async () => {
    const open = join(folder, 'writable')
    mkdirSync(open)
    chmodSync(open, 0o777)
    const warnings: string[] = []
    const { lock } = await openStateFolder(open, (line) => warnings.push(line))
    expect(warnings).toEqual([expect.stringContaining(`Others can write in ${open}`)])
    expect(modeOf(open)).toBe(0o777)
    lock?.release()
  })

  it('is one lock for all paths to the folder', async () => {
    const real = mkdtempSync(join(folder, 'real-'))
    const link = join(folder, 'link')
    symlinkSync(real, link)
    const { lock } = await openStateFolder(link, refuseWarnings)
    await expect(openStateFolder(real, refuseWarnings)).rejects.toThrow(LockedError)
    lock?.release()
  })
})

describe('runtimeLeftBehind()', () => {
  it('names a process only while it runs and is the one that was written down', async () => {
    const kept = mkdtempSync(join(folder, 'kept-'))
    expect(await runtimeLeftBehind(kept)).toBeNull()
    recordRuntime(kept, process.pid)
    expect(await runtimeLeftBehind(kept, 0)).toBe(process.pid)
    const { child } = startProgram(process.execPath, ['-e', 'process.stdin.on("data", () => {})'])
    recordRuntime(kept, child.pid ?? 0)
    child.kill('SIGKILL')
    expect(await runtimeLeftBehind(kept)).toBeNull()
  })
})

describe('npm start', () => {
  it('lets one of two starts on one folder run, and the other end with 1 and one line', async () => {
    const persist = join(folder, 'twice')
    const starts = await Promise.all([start(persist), start(persist)])
    const loser = await Promise.race(
      starts.map(async (one) => {
        await one.program.ended()
        return one
      }),
    )
    const winner = starts.find((one) => one !== loser)
    if (winner === undefined) throw new Error('there is no second start')
    await greeting(winner.program)
    expect(await loser.program.ended()).toBe(1)
    expect(loser.program.output().trim()).toMatch(
      new RegExp(`^Cannot start: the state folder \\S+ is in use by process ${winner.program.child.pid}, .*$`),
    )
    await winner.program.stop()
  })

  it('ends by a signal that arrives while it writes its greeting', async () => {
    const persist = join(folder, 'greeted')
    // Half a second in which no JavaScript runs: the signal comes before the line after the greeting.
    const slow = `const write = process.stdout.write
      process.stdout.write = function (...given) {
        const result = write.apply(this, given)
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)
        return result
      }`
    const preload = `--import "data:text/javascript,${encodeURIComponent(slow)}"`
    const { program } = await start(persist, { NODE_OPTIONS: preload })
    program.child.stdout?.once('data', () => program.child.kill('SIGTERM'))
    expect(await program.ended()).toBe(0)
    expect(program.output()).toContain('Sluice runs on')
  })

  it('leaves no runtime behind when it is killed, and the next start takes the folder', async () => {
    const persist = join(folder, 'killed')
    const { program } = await start(persist)
    await greeting(program)
    const runtime = runtimeOf(persist)
    expect(isAlive(runtime)).toBe(true)
    program.child.kill('SIGKILL')
    await expect.poll(() => isAlive(runtime)).toBe(false)
    const again = await start(persist)
    await greeting(again.program)
    expect(await health(again.url)).toBe(200)
    await again.program.stop()
  })

  it('starts its runtime again when that is killed, logs it, and keeps its state', async () => {
    const persist = join(folder, 'runtime')
    const { program, url } = await start(persist)
    await greeting(program)
    // A limit of a day: the minute may turn while the runtime starts.
    const body = '{"domain":"messaging","descriptors":[{"entries":[{"key":"to_number","value":"2065550100"}]}]}'
    const hit = () => fetch(`${url}/json`, { method: 'POST', body })
    expect(await (await hit()).json()).toMatchObject({ statuses: [{ limitRemaining: 99 }] })
    const first = runtimeOf(persist)
    process.kill(first, 'SIGKILL')
    await waitFor('the restart', async () => program.output().includes('runs again'), program)
    expect(program.output()).toContain('The runtime ended by SIGKILL: starting it again in 100 ms')
    expect(runtimeOf(persist)).not.toBe(first)
    // Until the front has its connection to the service again, it counts nothing and refuses.
    let answer = await hit()
    const isDecided = async () => {
      if (answer.status !== 200) answer = await hit()
      return answer.status === 200
    }
    await waitFor('a decision after the restart', isDecided, program)
    expect(await answer.json()).toMatchObject({ statuses: [{ limitRemaining: 98 }] })
    await program.stop()
  })

  it('ends with 1 when its runtime ends again and again', async () => {
    const persist = join(folder, 'hopeless')
    const { program } = await start(persist)
    await greeting(program)
    const killed = new Set<number>()
    const killNext = () => {
      const runtime = runtimeOf(persist)
      if (!killed.has(runtime) && isAlive(runtime)) process.kill(runtime, 'SIGKILL')
      killed.add(runtime)
      return program.child.exitCode !== null || killed.size >= 2 * maxQuickEnds
    }
    await eventually('the end of the program', killNext, program.output)
    expect(await program.ended()).toBe(1)
    expect(program.output()).toContain(`Cannot go on: the runtime ended ${maxQuickEnds} times`)
  })

  it.each(['/proc/nope', '/dev/null/nope'])(
    'ends with 1 and one line for a folder that cannot be: %s',
    async (persist) => {
      const { program } = await start(persist)
      expect(await program.ended()).toBe(1)
      expect(program.output().trim()).toMatch(
        new RegExp(`^Cannot start: --persist is "${persist}", which cannot be written \\(\\w+\\), expected a folder`),
      )
    },
  )
})
