/** `sluice workerd`: the folder that it writes, served by workerd without Node, on the state of the start before. */

import { execFile, spawn } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { projectRoot } from '#bin/project.ts'
import { workerdPath } from '#bin/runtime/process.ts'
import { makeFolder } from '../support/folder.ts'
import { freePort } from '../support/process.ts'
import { once } from '../support/wait.ts'

const run = promisify(execFile)
const parent = makeFolder()
const folder = join(parent, 'served')

const sluice = (...args: readonly string[]) =>
  run(process.execPath, [join(projectRoot, 'bin/sluice.mjs'), 'workerd', ...args])

let url: string
beforeAll(async () => {
  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  await sluice(folder, '--address', `127.0.0.1:${port}`)
})

/** Serves the folder with nothing but these settings, while an action runs. */
async function serve(
  settings: Readonly<Record<string, string>>,
  action: () => Promise<void>,
  signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM',
): Promise<void> {
  const options = { cwd: folder, env: settings, stdio: 'ignore' as const }
  const child = spawn(workerdPath(), ['serve', 'sluice.capnp', '--experimental'], options)
  try {
    const answers = () =>
      fetch(`${url}/healthz`).then(
        ({ status }) => status,
        () => child.exitCode ?? 0,
      )
    await expect.poll(answers, { interval: 100 }).toBe(200)
    await action()
  } finally {
    child.kill(signal)
    if (child.exitCode === null && child.signalCode === null) await once(child, 'close')
  }
}

const rules = '{domain: shop, descriptors: [{key: login, rate_limit: {unit: day, requests_per_unit: 5}}]}'
const settings = {
  GRID_TOKEN: 'grid-token',
  STREAMNET_TOKEN: 'gateway-token',
  STREAMNET_DEVELOPMENT: 'true',
  STREAMNET_SEED_NETWORK: 'true',
  RATELIMIT_RULES: rules,
}

async function remaining(): Promise<unknown> {
  const body = JSON.stringify({ domain: 'shop', descriptors: [{ entries: [{ key: 'login', value: 'me' }] }] })
  const response = await fetch(`${url}/json`, { method: 'POST', body })
  const { statuses } = (await response.json()) as { readonly statuses: readonly { readonly limitRemaining?: number }[] }
  return statuses[0]?.limitRemaining
}

describe('sluice workerd', () => {
  it('writes a folder from which workerd answers for every surface, with settings of the environment', async () => {
    await serve(settings, async () => {
      expect(await remaining()).toBe(4)
      expect(await (await fetch(`${url}/readyz`)).json()).toMatchObject({ status: 'ready' })
      const grid = { headers: { authorization: 'Bearer grid-token' } }
      expect((await fetch(`${url}/api/v1/simulation`, grid)).status).toBe(200)
      const gateway = { headers: { authorization: 'Bearer gateway-token' } }
      const streams = await fetch(`${url}/streamnet/v1/list_streams?limit=1`, gateway)
      expect(await streams.text()).toContain('stream_id')
      const page = await fetch(url, { headers: { accept: 'text/html' } })
      const script = /src="([^"]+\.js)"/.exec(await page.text())?.[1] ?? ''
      expect([page.status, (await fetch(`${url}${script}`)).headers.get('content-type')]).toEqual([
        200,
        'text/javascript; charset=utf-8',
      ])
    })
  })

  it('goes on from the state of the run before, and a setting that is not set is absent', async () => {
    await serve({ RATELIMIT_RULES: rules }, async () => {
      expect(await remaining()).toBe(3)
      for (const token of ['', 'null', 'undefined']) {
        const headers = { authorization: `Bearer ${token}` }
        expect((await fetch(`${url}/api/v1/simulation`, { headers })).status).toBe(401)
        expect((await fetch(`${url}/streamnet/v1/list_streams`, { headers })).status).toBe(401)
        expect((await fetch(`${url}/config`, { headers })).status).toBe(503)
      }
    })
  })

  it.skipIf(process.platform !== 'linux')(
    'refuses a second workerd on the folder, which would count beside the first, and takes one after a kill',
    async () => {
      const other = join(parent, 'again.capnp')
      const text = readFileSync(join(folder, 'sluice.capnp'), 'utf8')
      const address = `127.0.0.1:${await freePort()}`
      writeFileSync(other, text.replace(new URL(url).host, address))
      cpSync(other, join(folder, 'again.capnp'))
      try {
        await serve({ RATELIMIT_RULES: rules }, async () => {
          const second = run(workerdPath(), ['serve', 'again.capnp', '--experimental'], { cwd: folder })
          await expect(second).rejects.toThrow('another workerd serves this folder')
        })
        await serve({ RATELIMIT_RULES: rules }, async () => {}, 'SIGKILL')
        await serve({ RATELIMIT_RULES: rules }, async () => {})
      } finally {
        rmSync(join(folder, 'again.capnp'))
      }
    },
  )

  it('counts a client by its connection, and with --trust-proxy by the address that the proxy sets', async () => {
    const open = {
      ...settings,
      STREAMNET_PUBLIC_READ: '*',
      STREAMNET_PUBLIC_OPERATIONS: 'list_streams',
      STREAMNET_PUBLIC_RATE: '2',
    }
    const statuses = async () => {
      const all: number[] = []
      for (let at = 0; at < 4; at++) {
        const headers = { 'cf-connecting-ip': `192.0.2.${at}` }
        all.push((await fetch(`${url}/streamnet/v1/list_streams?limit=1`, { headers })).status)
      }
      return all
    }
    // A minute may begin between two of the requests.
    await serve(open, async () => expect(await statuses()).toContain(429))
    await sluice(folder, '--address', new URL(url).host, '--trust-proxy')
    await serve(open, async () => expect(await statuses()).toEqual([200, 200, 200, 200]))
    await sluice(folder, '--address', new URL(url).host)
  })

  it('keeps counters in a bounded number of objects, which one process has to bear', async () => {
    const keys = 150
    const hit = () => {
      const descriptors = Array.from({ length: keys }, (_, at) => ({
        entries: [{ key: 'login', value: `one of many ${at}` }],
      }))
      return fetch(`${url}/json`, { method: 'POST', body: JSON.stringify({ domain: 'shop', descriptors }) })
    }
    const objects = () =>
      readdirSync(join(folder, 'state/index-CounterObject')).filter((name) => name.endsWith('.sqlite')).length
    // A busy disk makes so many objects in more than the 5 seconds that a counter has.
    const patient = { RATELIMIT_RULES: rules, COUNTER_TIMEOUT: '120s' }
    await serve(patient, async () => {
      expect((await hit()).status).toBe(200)
    })
    expect(objects()).toBeLessThan(keys)
    await serve({ ...patient, COUNTER_PLACEMENT: 'per-key' }, async () => {
      expect((await hit()).status).toBe(200)
    })
    expect(objects()).toBeGreaterThanOrEqual(keys)
  })

  it('refuses state of a build before the first release', async () => {
    const earlier = join(parent, 'earlier')
    mkdirSync(join(earlier, 'state/index-CounterObject'), { recursive: true })
    writeFileSync(join(earlier, 'state/index-CounterObject', `${'0'.repeat(64)}.sqlite`), '')
    await expect(sluice(earlier)).rejects.toThrow(
      `Cannot write the configuration of workerd: ${earlier} holds state of a build before the first release, expected a new folder`,
    )
    expect(readdirSync(earlier)).toEqual(['state'])
  })

  it('writes no secret, and refuses a folder that holds other files', async () => {
    expect(readFileSync(join(folder, 'sluice.capnp'), 'utf8')).toContain('fromEnvironment = "GRID_TOKEN"')
    const other = join(parent, 'other')
    mkdirSync(other)
    writeFileSync(join(other, 'notes.txt'), '')
    await expect(sluice(other)).rejects.toThrow(`${other} holds notes.txt, expected an empty folder`)
    const below = join(other, 'notes.txt', 'deep')
    await expect(sluice(below)).rejects.toThrow(`${below} cannot be written (ENOTDIR), expected a folder of yours`)
    await expect(sluice(folder, '--adress', 'x')).rejects.toThrow('there is no option --adress, perhaps --address')
  })
})
