/** Downloads of a running simulation, given to tshark, capinfos and the OASIS validator. */

import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningBundle, startBundle } from '../support/bundle.ts'
import { makeFolder } from '../support/folder.ts'
import { type GridClient, gridClient, gridToken } from '../support/grid-service.ts'
import { findProgram } from '../support/process.ts'

const tshark = findProgram('tshark')
const capinfos = findProgram('capinfos')
const validator = process.env.STIX2_VALIDATOR ?? findProgram('stix2_validator')

const checks = [
  ...['ip.check_checksum', 'tcp.check_checksum', 'udp.check_checksum'].flatMap((name) => ['-o', `${name}:TRUE`]),
  // Messages are distinguished by their connections, with any settings of the machine.
  ...['-o', 'tcp.desegment_tcp_streams:TRUE'],
]

let bundle: RunningBundle
let grid: GridClient
const folder = makeFolder()

beforeAll(async () => {
  bundle = await startBundle({ worker: 'grid', rebuild: true, vars: { GRID_TOKEN: gridToken } })
  grid = gridClient(bundle.url)
})
afterAll(() => bundle?.stop())

/** Downloads an export into a file. */
async function save(client: GridClient, kind: string): Promise<string> {
  const path = join(folder, `${kind}-${Math.random().toString(36).slice(2)}`)
  writeFileSync(path, await client.download(`/export/${kind}`))
  return path
}

function run(program: string | null, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program ?? '', [...args], {
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}: ${stderr}`)
  return stdout
}

/** The frames of a capture that a display filter lets through, by their fields. */
function frames(path: string, filter: string, ...fields: readonly string[]): readonly (readonly string[])[] {
  const columns = ['frame.number', ...fields].flatMap((field) => ['-e', field])
  const text = run(tshark, '-n', ...checks, '-r', path, '-Y', filter, '-T', 'fields', ...columns)
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\t'))
}

/** Objections of tshark to a capture, without those that are expected. */
const faults = [
  '_ws.malformed',
  'ip.checksum.status == "Bad"',
  'tcp.checksum.status == "Bad"',
  'udp.checksum.status == "Bad"',
  'tcp.analysis.lost_segment',
  'tcp.analysis.retransmission',
  'tcp.analysis.ack_lost_segment',
  '_ws.expert.severity >= 0x00800000',
]

const everyProtocol = ['modbus', 'dnp3', 'iec60870_104', 'goose', 'synphasor']

describe.skipIf(tshark === null)('tshark on a download (skipped without tshark)', () => {
  it.each(['case9', 'case14', 'case39'] as const)('finds no fault in a clean minute of %s', async (name) => {
    const client = gridClient(bundle.url, `clean-${name}`)
    await client.standAt(600, { case: name })
    const path = await save(client, 'pcap')
    expect(frames(path, faults.join(' || '), '_ws.col.protocol', '_ws.expert.message')).toEqual([])
    for (const protocol of everyProtocol) {
      expect([protocol, frames(path, protocol).length > 0]).toEqual([protocol, true])
    }
    // Every frame belongs to a protocol that the plan names; nothing is plain data.
    expect(frames(path, 'data', 'frame.protocols')).toEqual([])
  })

  it('finds no fault in a capture whose beginning was forgotten', async () => {
    const client = gridClient(bundle.url, 'long')
    await client.standAt(20, { pmu_rate: 30, case: 'case39' })
    await client.step(600)
    const path = await save(client, 'pcap')
    const { lifetime } = await client.simulation()
    const retained = frames(path, 'frame').length
    expect(retained).toBeGreaterThan(10_000)
    expect(lifetime).toMatchObject({ frames: expect.any(Number) })
    expect(Number((lifetime as { frames: number }).frames)).toBeGreaterThan(retained)
    expect(frames(path, faults.join(' || '), '_ws.col.protocol', '_ws.expert.message')).toEqual([])
  })
})

describe.skipIf(tshark === null)('tshark on each side of an attacker (skipped without tshark)', () => {
  /** One side of a capture as a separate file, as its tap would have written it. */
  async function side(client: GridClient, tap: 'before' | 'after'): Promise<string> {
    const path = join(folder, `${tap}-${Math.random().toString(36).slice(2)}`)
    writeFileSync(path, await client.download(`/export/pcap?tap=${tap}`))
    return path
  }

  it('finds nothing to say about TCP on either side of a clean minute, and the same frames', async () => {
    const client = gridClient(bundle.url, 'sides-clean')
    await client.standAt(600)
    const [before, after] = [await side(client, 'before'), await side(client, 'after')]
    for (const path of [before, after]) expect(frames(path, 'tcp.analysis.flags', 'tcp.stream')).toEqual([])
    expect(frames(before, 'frame', 'frame.time_epoch', 'tcp.seq_raw')).toEqual(
      frames(after, 'frame', 'frame.time_epoch', 'tcp.seq_raw'),
    )
    const both = frames(await save(client, 'pcapng'), 'frame', 'frame.interface_name')
    const named = (name: string) => both.filter(([, tap]) => tap === name).length
    expect([named('tap-before'), named('tap-after')]).toEqual([
      frames(before, 'frame').length,
      frames(after, 'frame').length,
    ])
  })

  it('sees what DROP takes from a connection sent again and again, each time with new numbers', async () => {
    const client = gridClient(bundle.url, 'sides-drop')
    await client.standAt(100)
    const params = { drop_percent: 50, target_link: 'PMU-4--PDC' }
    expect(await client.enable('DROP', params)).toMatchObject({ success: true })
    await client.step(80)
    const [before, after] = [await side(client, 'before'), await side(client, 'after')]
    expect(frames(before, 'tcp.analysis.retransmission').length).toBeGreaterThan(2)
    expect(frames(before, 'tcp.analysis.ack_lost_segment || tcp.analysis.lost_segment')).toEqual([])
    expect(frames(after, 'tcp.analysis.ack_lost_segment || tcp.analysis.retransmission')).toEqual([])
    expect(frames(after, 'tcp.analysis.duplicate_ack').length).toBeGreaterThan(2)
    const data = 'ip.src == 10.20.2.4 && tcp.len > 0 && !tcp.analysis.retransmission'
    const numbers = frames(before, data, 'tcp.seq_raw').map(([, number]) => number)
    expect(new Set(numbers).size).toBe(numbers.length)
    // Five frames a second, eighteen seconds, and the configuration in the place of the first.
    expect(numbers.length).toBe(18 * 5)
    expect(frames(after, data, 'tcp.seq_raw').length).toBeLessThan(numbers.length - 10)
  })

  it('sees a segment sent again that DELAY holds for longer than its sender waits, and both copies arrive', async () => {
    const client = gridClient(bundle.url, 'sides-delay')
    await client.standAt(100)
    const params = { delay_ms: 350, target_link: 'PMU-4--PDC' }
    expect(await client.enable('DELAY', params)).toMatchObject({ success: true })
    await client.step(50)
    const [before, after] = [await side(client, 'before'), await side(client, 'after')]
    const again = 'tcp.analysis.retransmission || tcp.analysis.spurious_retransmission'
    expect(frames(before, again).length).toBeGreaterThan(0)
    expect(frames(after, again).length).toBeGreaterThan(0)
    for (const path of [before, after]) {
      expect(frames(path, 'tcp.analysis.ack_lost_segment || tcp.analysis.lost_segment')).toEqual([])
    }
  })
})

describe.skipIf(capinfos === null)('capinfos on a download (skipped without capinfos)', () => {
  it('counts the frames of both forms and reads their times', async () => {
    await grid.standAt(300)
    for (const [kind, type] of [
      ['pcap', /File type: +pcap\n/],
      ['pcapng', /File type: +pcapng\n/],
    ] as const) {
      const text = run(capinfos, '-M', '-S', await save(grid, kind))
      expect(text).toMatch(type)
      expect(text).toMatch(/File encapsulation: +ether/)
      expect(text).toMatch(/Strict time order: +True/)
      expect(Number(/Number of packets: +(\d+)/.exec(text)?.[1])).toBeGreaterThan(100)
    }
  })
})

/** Attacks whose defaults let them act within half a minute of case14, or the parameters that do. */
const attacks: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  NOISE: {},
  RAMP: {},
  PULSE: {},
  FREQUENCY_OVERRIDE: {},
  MAGNITUDE_OVERRIDE: {},
  ANGLE_OVERRIDE: {},
  REPLAY: {},
  DELAY: {},
  DROP: { drop_percent: 50 },
  SCALE: {},
  FDI_STEALTH: {},
  GOOSE_TRIP_SPOOF: {},
  MODBUS_CMD_INJECT: {},
  DNP3_CONTROL: {},
  IEC104_BREAKER_CMD: {},
  COORDINATED_OUTAGE: {},
  MODBUS_RECON: {},
}
const bad = faults.slice(0, 4).join(' || ')

/** The status that a packet comment states. */
function statusOf(comment: string): string {
  return /^status=(\w+)/.exec(comment)?.[1] ?? comment
}

describe.skipIf(tshark === null)('tshark on attacked frames (skipped without tshark)', () => {
  it.each(Object.entries(attacks))(
    'still dissects what %s did, and reads its label as the comment',
    async (type, params) => {
      const client = gridClient(bundle.url, type.toLowerCase().replaceAll('_', '-'))
      await client.standAt(100)
      expect(await client.enable(type, params)).toMatchObject({ success: true })
      await client.step(300)
      const touched = (await client.incidents()).filter(({ status }) => status !== 'clean')
      expect(touched.length).toBeGreaterThan(0)
      expect(new Set(touched.map((incident) => incident.attack_type))).toEqual(new Set([type]))
      const path = await save(client, 'pcapng')
      expect(frames(path, bad, 'frame.protocols', '_ws.expert.message')).toEqual([])
      const marked = frames(path, 'frame.comment', 'frame.protocols', 'frame.comment')
      expect(marked.length).toBeGreaterThanOrEqual(touched.length)
      for (const [, protocols, comment] of marked) {
        expect(protocols).toMatch(/:(mbtcp|modbus|dnp3|iec60870_104|goose|synphasor|tcp|arp)\b/)
        expect(comment).toMatch(new RegExp(`attack=${type} attack_id=${type}-1`))
      }
      const statuses = new Set(marked.map(([, , comment = '']) => statusOf(comment)))
      for (const { status } of touched) expect(statuses).toContain(status)
    },
  )

  it('shows the malformed frames of MALFORMED, each with its label, and no other', async () => {
    const client = gridClient(bundle.url, 'malformed')
    await client.standAt(100)
    const params = { kind: 'bad_length', protocol: 'GOOSE', rate_percent: 50 }
    expect(await client.enable('MALFORMED', params)).toMatchObject({ success: true })
    await client.step(300)
    const path = await save(client, 'pcapng')
    const shown = frames(path, '_ws.malformed', 'frame.interface_name', 'frame.comment')
    expect(shown.length).toBeGreaterThan(3)
    for (const [, tap, comment = ''] of shown) {
      expect([tap, statusOf(comment)]).toEqual(['tap-after', 'invalid'])
    }
  })
})

/** Steps until there are forty incidents, or thirty seconds are over: the validator reads forty in a second or two. */
async function stepToIncidents(client: GridClient): Promise<void> {
  for (let turn = 0; turn < 10; turn++) {
    await client.step(30)
    if ((await client.incidents()).length >= 40) return
  }
}

describe.skipIf(validator === null)('the OASIS STIX validator on downloads (skipped without it)', () => {
  it('accepts the bundle of a session after each attack', async () => {
    const bundles = join(folder, 'stix')
    mkdirSync(bundles)
    for (const [type, params] of Object.entries(attacks)) {
      const client = gridClient(bundle.url, `stix-${type.toLowerCase().replaceAll('_', '-')}`)
      await client.standAt(100)
      await client.enable(type, params)
      await stepToIncidents(client)
      writeFileSync(join(bundles, `${type}.json`), await client.download('/export/stix'))
    }
    const { status, stdout, stderr } = spawnSync(validator ?? '', ['--version', '2.1', '--enforce-refs', bundles], {
      encoding: 'utf8',
    })
    expect(`${stdout}${stderr}`.match(/\[X\].*/g)).toBeNull()
    expect(stdout.match(/STIX JSON: Valid/g)).toHaveLength(Object.keys(attacks).length)
    expect(status).toBe(0)
  })
})
