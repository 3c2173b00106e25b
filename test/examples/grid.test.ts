import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { projectRoot } from '#bin/project.ts'
import { makeFolder } from '../support/folder.ts'
import { gridClient } from '../support/grid-service.ts'
import { findProgram, freePort, type RunningProgram, startProgram, waitFor } from '../support/process.ts'
import { greeting } from '../support/start.ts'

const runner = join(projectRoot, 'bin/run.mjs')
const watcher = 'examples/grid/watch-incidents.ts'
const enabler = join(projectRoot, 'examples/grid/enable-attack.sh')

const folder = makeFolder()
let service: RunningProgram
let port: number
let token: string

/** Starts the whole service as `npm start` does, with its state in the folder. */
async function start(): Promise<RunningProgram> {
  const ports = ['--port', `${port}`, '--grpc-port', '0', '--debug-port', '0', '--node-port', '0']
  const program = startProgram(process.execPath, [runner, 'start', ...ports, '--persist', folder])
  await greeting(program)
  return program
}

function watch(env: NodeJS.ProcessEnv, count: number): RunningProgram {
  return startProgram(process.execPath, [runner, watcher, `http://127.0.0.1:${port}`, `${count}`], env)
}

function enable(env: NodeJS.ProcessEnv, ...args: readonly string[]) {
  const options = { encoding: 'utf8', env: { ...process.env, ...env } } as const
  return spawnSync('sh', [enabler, ...args, ...(args.length < 2 ? ['{}'] : []), `http://127.0.0.1:${port}`], options)
}

beforeAll(async () => {
  port = await freePort()
  service = await start()
  token = JSON.parse(readFileSync(join(folder, 'secrets.json'), 'utf8')).GRID_TOKEN
})
afterAll(() => service?.stop())

describe.skipIf(findProgram('curl') === null)('examples/grid (skipped without curl)', () => {
  const line =
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00 (attacked|dropped) (HIGH|MEDIUM) {0,2} C37\.118 [\d.]+ -> [\d.]+ (SCALE|DROP): ./

  it('enable-attack.sh enables what watch-incidents.ts then shows, through a restart of the service', async () => {
    const env = { GRID_TOKEN: token }
    const watching = watch(env, 60)
    const client = gridClient(`http://127.0.0.1:${port}`, 'default', token)
    const isHeard = async () => Number((await client.simulation()).subscribers) > 0
    await waitFor('the watcher', isHeard, watching)
    const { status, stdout } = enable(env, 'SCALE')
    expect({ status, answer: JSON.parse(stdout) }).toMatchObject({ status: 0, answer: { success: true } })
    await waitFor('incidents', async () => watching.output().split('\n').length > 5, watching)
    await service.stop()
    service = await start()
    expect(await watching.ended()).toBe(0)
    const lines = watching.output().trimEnd().split('\n')
    const shown = lines.filter((one) => !one.includes('trying again'))
    expect(shown.length).toBe(60)
    for (const one of shown) expect(one).toMatch(line)
    expect(new Set(shown).size).toBe(60)
    const times = shown.map((one) => one.split(' ')[0])
    expect([...times].sort()).toEqual(times)
  })

  it('enable-attack.sh fails when the attack was not enabled', () => {
    const env = { GRID_TOKEN: token }
    const { status, stdout } = enable(env, 'NO_SUCH_ATTACK')
    expect({ status, answer: JSON.parse(stdout) }).toMatchObject({ status: 1, answer: { success: false } })
    expect(enable({ GRID_TOKEN: 'wrong' }, 'NOISE').status).toBe(1)
    expect(enable(env, 'DROP', '{"drop_percent": 50}').status).toBe(0)
  })

  it('watch-incidents.ts says why it cannot watch', async () => {
    const watching = watch({ GRID_TOKEN: 'wrong' }, 1)
    expect(await watching.ended()).toBe(1)
    expect(watching.output()).toMatch(/^Cannot watch: 401 .*Unauthorized/s)
  })
})

describe.skipIf(findProgram('python3') === null)('examples/grid/step_loop.py (skipped without python3)', () => {
  const script = join(projectRoot, 'examples/grid/step_loop.py')
  const run = (env: NodeJS.ProcessEnv, ...args: readonly string[]) =>
    spawnSync('python3', [script, `http://127.0.0.1:${port}`, ...args], {
      encoding: 'utf8',
      env: { ...process.env, ...env },
    })

  it('closes the lines that it sees open, twice in the same seconds', () => {
    const { status, stdout, stderr } = run({ GRID_TOKEN: token })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    const steps = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(steps.flatMap(({ closed }) => closed)).toEqual(expect.arrayContaining(['CB-2-3', 'CB-6-13']))
    expect(steps.at(-1)).toMatchObject({ done: true })
    expect(steps.at(-1).reward).toBeGreaterThan(steps[0].reward)
    expect(run({ GRID_TOKEN: token }).stdout).toBe(stdout)
  })

  it('ends with 1 when the time was too short, and with the answer that refused it', () => {
    expect(run({ GRID_TOKEN: token }, '1').status).toBe(1)
    expect(run({ GRID_TOKEN: 'wrong' })).toMatchObject({ status: 1, stderr: expect.stringContaining('answered 401') })
  })
})
