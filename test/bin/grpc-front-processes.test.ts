/** `--fronts`: processes that share a port, each with a connection to the service; one that is killed is started again. */

import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { projectRoot } from '#bin/project.ts'
import { openChannel } from '#bin/ratelimit-client/grpc-channel.ts'
import { decodeResponse, encodeRequest, shouldRateLimitPath } from '#proto-json/index.ts'
import { frontStats } from '#ratelimit/statistics/names.ts'
import { makeFolder } from '../support/folder.ts'
import { hostServices } from '../support/host-services.ts'
import { freePort } from '../support/process.ts'
import { frontToken, oneLimit } from '../support/ratelimit-servers.ts'
import { greeting, startSluice } from '../support/start.ts'
import { eventually, once } from '../support/wait.ts'

const { client, runtimeUrl } = hostServices([{ LEASES: 'on' }])

const command = join(projectRoot, 'bin/run.mjs')

/** Process ids of the fronts that a process has started; Linux only. A command that bundles itself first has another child. */
function frontsOf(child: ChildProcess): readonly number[] {
  const text = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')
  const children = text.split(' ').filter(Boolean).map(Number)
  return children.filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--fronts'))
}

it.skipIf(process.platform !== 'linux')(
  'three processes decide on one port, and together never above the limit',
  async () => {
    expect(await client().load([oneLimit('shop', 'day', 300)])).toBeNull()
    const args = ['--fronts', '3', '--port', '0', '--host', '127.0.0.1', '--upstream', runtimeUrl(0)]
    const child = spawn(process.execPath, [command, 'grpc-front', ...args], {
      env: { ...process.env, FRONT_TOKEN: frontToken },
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    const port = /:(\d+) ->/.exec(String((await once(child.stdout, 'data'))[0]))?.[1]
    const connected = (times: number) => {
      let seen = 0
      const isEnough = async () => {
        seen = (await client().stats())[frontStats.connections] ?? 0
        return seen >= times
      }
      return eventually(`${times} connections`, isEnough, () => seen)
    }
    await connected(3)
    const message = encodeRequest({
      domain: 'shop',
      descriptors: [{ entries: [{ key: 'k', value: 'v' }] }],
      hitsAddend: 0,
    })
    const press = async (times: number): Promise<number> => {
      // The connections of a client are given to the processes in turn.
      const channels = [0, 1, 2].map(() => openChannel(`127.0.0.1:${port}`, null))
      let admitted = 0
      const callers = channels.map(async (channel) => {
        for (let at = 0; at < times; at++) {
          const answer = await channel.call(shouldRateLimitPath, message)
          if (answer.message !== null && decodeResponse(answer.message).overallCode === 'OK') admitted += 1
        }
        channel.close()
      })
      await Promise.all(callers)
      return admitted
    }
    const before = await press(60)
    expect(before).toBe(180)
    const [killed = 0] = frontsOf(child)
    process.kill(killed, 'SIGKILL')
    // Another process takes the place of the killed one.
    await connected(4)
    expect(frontsOf(child)).toHaveLength(3)
    const admitted = before + (await press(100))
    expect(admitted).toBeLessThanOrEqual(300)
    expect(admitted).toBeGreaterThan(270)
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
  },
)

it.skipIf(process.platform !== 'linux')(
  'npm start has two processes on its port of native gRPC, which count together, and ends them with itself',
  async () => {
    const persist = makeFolder(onTestFinished)
    const [port, grpcPort] = [await freePort(), await freePort()]
    const ports = ['--port', `${port}`, '--grpc-port', `${grpcPort}`, '--debug-port', '0', '--node-port', '0']
    const program = startSluice([...ports, '--fronts', '2', '--persist', persist, '--var', 'LEASES=on'])
    onTestFinished(() => program.stop())
    await greeting(program)
    const known = frontsOf(program.child)
    expect(known).toHaveLength(2)
    const message = encodeRequest({
      domain: 'messaging',
      descriptors: [
        {
          entries: [
            { key: 'message_type', value: 'marketing' },
            { key: 'to_number', value: '2065550101' },
          ],
        },
      ],
      hitsAddend: 0,
    })
    const codes: string[] = []
    for (let at = 0; at < 6; at++) {
      // Each connection is given to the next process.
      const channel = openChannel(`127.0.0.1:${grpcPort}`, null)
      const answer = await channel.call(shouldRateLimitPath, message)
      codes.push(answer.message === null ? answer.status.message : decodeResponse(answer.message).overallCode)
      channel.close()
    }
    expect(codes).toEqual(['OK', 'OK', 'OK', 'OK', 'OK', 'OVER_LIMIT'])
    program.child.kill('SIGTERM')
    expect(await program.ended()).toBe(0)
    expect(known.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([])
  },
)

it.each(['0', '65', 'many'])('--fronts %s is refused', async (count) => {
  const child = spawn(process.execPath, [command, 'grpc-front', '--fronts', count])
  expect(String((await once(child.stderr, 'data'))[0])).toBe(
    `Cannot start: --fronts is "${count}", expected a whole number from 1 to 64\n`,
  )
})

it('a port that is taken ends all of them with the reason', async () => {
  const { port } = new URL(client().url)
  const args = ['--fronts', '2', '--host', '127.0.0.1', '--port', port]
  const child = spawn(process.execPath, [command, 'grpc-front', ...args])
  let printed = ''
  child.stderr.on('data', (chunk) => (printed += String(chunk)))
  expect(await once(child, 'close')).toEqual([1, null])
  expect(printed).toContain(`Cannot start: port ${port} of 127.0.0.1 is taken (EADDRINUSE), choose another with --port`)
})
