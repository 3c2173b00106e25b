/** The running service, used by tools of others: curl, tshark on a download, a browser's own EventSource. */

import { execFile, spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundlePageModule } from '#bin/bundle-pages.ts'
import { type RunningBundle, startBundle } from '../support/bundle.ts'
import { chromiumPath, startBrowser } from '../support/chromium.ts'
import { makeFolder } from '../support/folder.ts'
import { createSimulations } from '../support/grid-service.ts'

const run = promisify(execFile)
const token = 'f'.repeat(32)
const bearer = { authorization: `Bearer ${token}` }
const has = (program: string) => spawnSync(program, ['--version']).status === 0

let bundle: RunningBundle
const folder = makeFolder()

beforeAll(async () => {
  bundle = await startBundle({ worker: 'grid', rebuild: true, vars: { GRID_TOKEN: token } })
  await createSimulations(bundle.url, ['browser', 'curl'], token)
})

afterAll(() => bundle?.stop())

const at = (name: string) => `${bundle.url}/simulations/${name}/api/v1`

async function post(name: string, path: string, body: unknown = {}): Promise<void> {
  const response = await fetch(`${at(name)}${path}`, { method: 'POST', headers: bearer, body: JSON.stringify(body) })
  expect(response.status).toBe(200)
}

/** A session of 40 seconds with the attacks of a list, each for a while, as a downloaded capture. */
async function download(name: string, types: readonly (readonly [string, object])[], kind: string): Promise<string> {
  await post(name, '/sim/config', { start_time: 1_764_000_000, auto_pause_s: 0 })
  await post(name, '/sim/stop')
  await post(name, '/sim/step', { steps: 100 })
  for (const [type, params] of types) {
    await post(name, '/attack/enable', { type, params })
    await post(name, '/sim/step', { steps: 40 })
    await post(name, '/attack/disable')
  }
  await post(name, '/sim/step', { steps: 100 })
  const response = await fetch(`${at(name)}/export/${kind}`, { headers: bearer })
  const path = join(folder, `${name}.${kind}`)
  await writeFile(path, new Uint8Array(await response.arrayBuffer()))
  return path
}

const strict = ['ip.check_checksum', 'tcp.check_checksum', 'udp.check_checksum'].flatMap((name) => [
  '-o',
  `${name}:TRUE`,
])

async function tshark(path: string, ...args: readonly string[]): Promise<string[]> {
  const { stdout } = await run('tshark', ['-n', ...strict, '-r', path, ...args], { maxBuffer: 1 << 26 })
  return stdout.split('\n').filter((line) => line !== '')
}

const attacksThatDissect = [
  ['NOISE', {}],
  ['REPLAY', { buffer_size: 5 }],
  ['DELAY', {}],
  ['DROP', {}],
  ['FDI_STEALTH', {}],
  ['GOOSE_TRIP_SPOOF', {}],
  ['MODBUS_CMD_INJECT', {}],
  ['DNP3_CONTROL', {}],
  ['IEC104_BREAKER_CMD', { ioa_from: 1002, ioa_to: 1003 }],
  ['COORDINATED_OUTAGE', { branches: ['6-12'], stagger_s: 0 }],
] as const

const broken =
  '_ws.malformed || _ws.expert.severity == error || ip.checksum.status == 0 || tcp.checksum.status == 0 || udp.checksum.status == 0'

describe.skipIf(!has('tshark'))('tshark on a downloaded capture (skipped without tshark)', () => {
  it('dissects a session with ten attacks without one malformed, erroneous or unchecked frame', async () => {
    const path = await download('dissect', attacksThatDissect, 'pcap')
    expect(await tshark(path, '-Y', broken)).toEqual([])
    const protocols = new Set((await tshark(path, '-T', 'fields', '-e', '_ws.col.Protocol')).map((name) => name.trim()))
    for (const name of ['Modbus/TCP', 'GOOSE', 'SYNCHROPHASOR']) expect(protocols).toContain(name)
    expect([...protocols].some((name) => name.startsWith('DNP'))).toBe(true)
    expect([...protocols].some((name) => name.startsWith('IEC 60870-5'))).toBe(true)
    expect(await tshark(path, '-Y', 'tcp.analysis.ack_lost_segment')).toEqual([])
    // The receivers' side has holes where DROP took a segment, in the stream of its one unit.
    const holes = await tshark(path, '-Y', 'tcp.analysis.lost_segment', '-T', 'fields', '-e', 'ip.src')
    expect(new Set(holes)).toEqual(new Set(['10.20.2.4']))
  })

  it('decodes every synchrophasor: each data frame has its configuration before it', async () => {
    const path = await download('phasors', [], 'pcap')
    const frames = await tshark(path, '-Y', 'synphasor.frtype == 0', '-V')
    const text = frames.join('\n')
    expect(text).toContain('V_2')
    expect(text).not.toMatch(/no configuration frame found/i)
  })

  it('reads the labels of a PCAPNG as comments, and sees what MALFORMED broke', async () => {
    const path = await download('labels', [['MALFORMED', { protocol: 'C37.118', rate_percent: 100 }]], 'pcapng')
    const comments = await tshark(path, '-Y', 'frame.comment', '-T', 'fields', '-e', 'frame.comment')
    expect(comments.length).toBeGreaterThan(20)
    expect(comments.every((comment) => comment.includes('MALFORMED'))).toBe(true)
    const bad = await tshark(path, '-Y', 'frame.comment && (_ws.expert || _ws.malformed)')
    expect(bad.length).toBeGreaterThan(20)
  })

  it.skipIf(!has('capinfos'))('capinfos finds the frames in order', async () => {
    const path = await download('order', [], 'pcap')
    const { stdout } = await run('capinfos', ['-o', path])
    expect(stdout).toMatch(/Strict time order:\s+True/)
  })
})

describe.skipIf(!has('curl'))('curl on the stream (skipped without curl)', () => {
  it('prints incidents as they happen', async () => {
    await post('curl', '/attack/enable', { type: 'SCALE', params: {} })
    const args = ['-sN', '--max-time', '3', '-H', `Authorization: Bearer ${token}`, `${at('curl')}/events`]
    const printed = await run('curl', args).then(
      ({ stdout }) => stdout,
      // 28 is the end of the time that was given.
      (error: { code: number; stdout: string }) => (error.code === 28 ? error.stdout : Promise.reject(error)),
    )
    expect(printed).toMatch(/^: stream of simulation curl\n\nretry: 3000\n\n/)
    expect(printed.match(/^event: incident$/gm)?.length).toBeGreaterThan(10)
  })
})

describe.skipIf(chromiumPath === null)('a browser (skipped without Chromium)', () => {
  it('listens with its own EventSource and a ticket, and with the module for fetch streams', async () => {
    await post('browser', '/attack/enable', { type: 'SCALE', params: {} })
    const browser = await startBrowser()
    try {
      const page = await browser.newPage()
      await page.goto(`${at('browser')}/status`)
      const heard = await page.evaluate(
        async ({ base, headers }) => {
          const made = await fetch(`${base}/events/ticket`, { method: 'POST', headers })
          const { ticket } = await made.json()
          return new Promise<string>((resolve, reject) => {
            const source = new EventSource(`${base}/events?ticket=${ticket}`)
            source.addEventListener('incident', ({ data }) => {
              source.close()
              resolve(JSON.parse(data).attack_type)
            })
            setTimeout(() => reject(new Error('nothing heard')), 100_000)
          })
        },
        { base: at('browser'), headers: bearer },
      )
      expect(heard).toBe('SCALE')
      const module = await bundlePageModule('public/lib/event-stream.js')
      const read = await page.evaluate(
        async ({ base, headers, code }) => {
          const url = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }))
          // Written as text, because the test runner would rewrite an import that it sees.
          const { readEvents } = await new Function('url', 'return import(url)')(url)
          const response = await fetch(`${base}/events`, { headers })
          for await (const { event, data } of readEvents(response.body)) {
            return `${event} ${JSON.parse(data).attack_type}`
          }
          return 'the stream ended'
        },
        { base: at('browser'), headers: bearer, code: module },
      )
      expect(read).toBe('incident SCALE')
    } finally {
      await browser.close()
    }
  })
})
