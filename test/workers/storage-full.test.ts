/** A disk that takes no more: health says so, every surface answers 503, and all is well again once there is room. */

import { spawnSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { workerdPath } from '#bin/runtime/process.ts'
import { type RunningBundle, startBundle } from '../support/bundle.ts'
import { makeFolder } from '../support/folder.ts'
import { findProgram } from '../support/process.ts'

const prlimit = findProgram('prlimit')
const folder = makeFolder()
const token = 'a-token-of-sixteen-characters'
const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }

let service: RunningBundle | undefined

beforeAll(async () => {
  // A file that may not grow is the nearest to a full disk that needs no rights: with the signal ignored, writing
  // fails. The wrapper keeps the process id and the name by which the runtime is known.
  const wrapper = join(folder, 'workerd-limited')
  writeFileSync(wrapper, `#!/bin/sh\ntrap '' XFSZ\nexec '${workerdPath()}' "$@"\n`)
  chmodSync(wrapper, 0o755)
  service = await startBundle({
    program: wrapper,
    persist: join(folder, 'state'),
    vars: {
      ADMIN_TOKEN: token,
      GRID_TOKEN: token,
      STREAMNET_TOKEN: token,
      STREAMNET_SEED_NETWORK: 'true',
      STREAMNET_NODE: 'open',
    },
  })
})

afterAll(async () => {
  await service?.stop()
})

/** Bounds the size that the runtime may give a file, in bytes. */
function limitFiles(bytes: string): void {
  const { status, stderr } = spawnSync(prlimit ?? '', ['--pid', `${service?.pid}`, `--fsize=${bytes}:unlimited`])
  if (status !== 0) throw new Error(`prlimit: ${stderr}`)
}

async function ask(path: string, init: RequestInit = {}) {
  const response = await fetch(`${service?.url}${path}`, { headers, ...init })
  return { status: response.status, retry: response.headers.get('retry-after'), text: await response.text() }
}

const post = (path: string, body: unknown) => ask(path, { method: 'POST', body: JSON.stringify(body) })
const rules = {
  files: { 'config.a': 'domain: a\ndescriptors: [{ key: k, rate_limit: { unit: day, requests_per_unit: 9 } }]' },
}
const decision = { domain: 'a', descriptors: [{ entries: [{ key: 'k', value: 'v' }] }] }
const ping = { jsonrpc: '2.0', id: 1, method: 'user.chain_info', params: {} }

describe.skipIf(prlimit === null)('a deployment whose disk is full', () => {
  it('is healthy before, says so while it cannot write, and is healthy again afterwards', async () => {
    expect((await ask('/ratelimit/config/files', { method: 'PUT', body: JSON.stringify(rules) })).status).toBe(200)
    expect(await ask('/healthcheck')).toMatchObject({ status: 200, text: 'OK' })
    limitFiles('1')
    await expect.poll(async () => (await ask('/healthcheck')).status).toBe(500)

    const grid = await post('/api/v1/sim/start', {})
    expect(grid).toMatchObject({ status: 503, retry: '2' })
    expect(JSON.parse(grid.text).error).toContain('its storage is full or out of reach')

    const gateway = await ask('/streamnet/v1/list_streams?limit=1')
    expect(gateway).toMatchObject({ status: 503, retry: '2' })
    expect(JSON.parse(gateway.text)).toMatchObject({ code: 'no_backend' })

    const node = await post('/rpc/v1', ping)
    expect(node).toMatchObject({ status: 503, retry: '2' })
    expect(JSON.parse(node.text).error.message).toContain('its storage is full or out of reach')

    // The contract's own answer to a counter that cannot be asked.
    expect(await post('/json', decision)).toMatchObject({ status: 400, text: 'Bad Request\n' })

    limitFiles('unlimited')
    await expect.poll(async () => (await ask('/healthcheck')).status).toBe(200)
    expect((await post('/json', decision)).status).toBe(200)
    expect((await post('/api/v1/sim/start', {})).status).toBe(200)
    expect((await ask('/streamnet/v1/list_streams?limit=1')).status).toBe(200)
  })
})
