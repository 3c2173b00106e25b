/** `npm start` with the rules of go-control-plane, the control plane of Envoy Gateway: its own cache and server. */

import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { makeFolder } from '../support/folder.ts'
import { findProgram, freePort, type RunningProgram, startProgram, waitForPort } from '../support/process.ts'
import { greeting, startSluice } from '../support/start.ts'
import { eventually } from '../support/wait.ts'

const path = findProgram('go-control-plane')
const folder = makeFolder()
const programs: RunningProgram[] = []
afterAll(async () => {
  for (const program of programs.reverse()) await program.stop()
})

/** A request of a client, as the control plane prints it. */
interface Asked {
  readonly node: string
  readonly version: string
  readonly nonce: string
  readonly error: string
}

/** Starts the control plane on a port. */
async function startControlPlane(port: number) {
  const own = await freePort()
  const program = startProgram(path ?? '', [`127.0.0.1:${port}`, `127.0.0.1:${own}`])
  programs.push(program)
  await waitForPort(own, program)
  const asked = (): readonly Asked[] =>
    program
      .output()
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line))
  return {
    asked,
    stop: () => program.stop('SIGKILL'),
    /** Serves a snapshot with resources in the form of protobuf's JSON. */
    async serve(version: string, resources: readonly object[]) {
      const body = JSON.stringify({ node: 'sluice', version, resources })
      const answer = await fetch(`http://127.0.0.1:${own}`, { method: 'POST', body })
      expect(await answer.text()).toBe('')
    },
    received: (what: string, holds: (requests: readonly Asked[]) => boolean) =>
      eventually(what, () => holds(asked()), program.output),
  }
}

const rules = (domain: string, requestsPerUnit: number) => ({
  name: domain,
  domain,
  descriptors: [{ key: 'user', rateLimit: { unit: 'YEAR', requestsPerUnit } }],
})
const broken = { ...rules('shop', 1), descriptors: [{ key: 'user' }, { key: 'user' }] }
const accepted = (version: string) => (requests: readonly Asked[]) => requests.at(-1)?.version === version
const refusals = (requests: readonly Asked[]) => requests.filter(({ error }) => error !== '')

describe.skipIf(path === null)('npm start behind go-control-plane (skipped without it)', () => {
  it('takes its snapshots, refuses one without a hot loop, and keeps its rules while it is unreachable', async () => {
    const controlPort = await freePort()
    const first = await startControlPlane(controlPort)
    await first.serve('1', [rules('shop', 1), rules('other', 5)])
    const port = await freePort()
    const ports = ['--port', `${port}`, '--debug-port', '0', '--grpc-port', '0', '--node-port', '0']
    const own = startSluice([...ports, '--persist', join(folder, 'state')], {
      CONFIG_TYPE: 'GRPC_XDS_SOTW',
      CONFIG_GRPC_XDS_SERVER_URL: `127.0.0.1:${controlPort}`,
      CONFIG_GRPC_XDS_NODE_ID: 'sluice',
      XDS_CLIENT_BACKOFF_INITIAL_INTERVAL: '50ms',
    })
    programs.push(own)
    await greeting(own)
    const ask = async (domain: string) => {
      const body = JSON.stringify({ domain, descriptors: [{ entries: [{ key: 'user', value: 'ada' }] }] })
      return (await fetch(`http://127.0.0.1:${port}/json`, { method: 'POST', body })).status
    }
    await first.received('an acceptance', accepted('1'))
    expect([await ask('shop'), await ask('shop'), await ask('other')]).toEqual([200, 429, 200])

    // The cache compares the version of a refusal with its own, and sends the snapshot again at once.
    await first.serve('2', [broken, rules('other', 0)])
    await first.received('a second refusal', (requests) => refusals(requests).length === 2)
    expect(refusals(first.asked())[0]).toMatchObject({
      version: '1',
      error: expect.stringContaining('shop: duplicate descriptor composite key'),
    })
    expect([await ask('shop'), await ask('other')]).toEqual([429, 200])
    await first.serve('3', [rules('shop', 0)])
    await first.received('an acceptance', accepted('3'))
    // The next snapshot removes a resource that it has no more, and its domain with it.
    expect([await ask('shop'), await ask('other')]).toEqual([429, 200])
    // The snapshot may have been sent a third time before the next one was there.
    expect(refusals(first.asked()).length).toBeLessThan(4)

    await first.stop()
    await eventually('a line', () => own.output().includes('the rules in force stay'), own.output)
    expect(await ask('shop')).toBe(429)
    const second = await startControlPlane(controlPort)
    await second.serve('4', [rules('shop', 100)])
    await second.received('an acceptance', accepted('4'))
    expect(second.asked()[0]).toMatchObject({ node: 'sluice', version: '', nonce: '' })
    expect(await ask('shop')).toBe(200)
  })
})
