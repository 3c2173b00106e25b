/** The bodies of an outside simulator: what is taken, what is refused, and each bound. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { GridError } from '#grid/errors.ts'
import {
  maximumRecords,
  parseExternalStatus,
  parsePacketBatch,
  parseTopology,
  toIncidentStatus,
} from '#grid/interface/ingest-requests.ts'
import { refusalText } from '../../support/refusal.ts'

const packet = { timestamp: 1_764_000_000.5, protocol: 'S7', status: 'clean' }

/** Code and message of the error that a body is refused with; undefined when it is taken. */
const mistake = (parse: (body: unknown) => unknown, body: unknown) => refusalText(GridError, () => parse(body))

const batchOf = (...packets: unknown[]) => parsePacketBatch({ source: 'lab', seq: 3, packets })
const rejects = (change: Record<string, unknown>) => batchOf({ ...packet, ...change }).rejected[0]?.error

describe('parsePacketBatch()', () => {
  it('takes every field of a packet as it is, and leaves out names that it does not know', () => {
    const full = {
      ...packet,
      attack_type: 'LAB',
      src: '192.0.2.1:102',
      dst: '192.0.2.2:102',
      raw_b64: 'AQI=',
      original_val: { a: [1, null] },
      modified_val: { a: { b: true } },
      description: 'Changed',
    }
    expect(batchOf({ ...full, other: 1 })).toEqual({ source: 'lab', seq: 3, packets: [full], rejected: [] })
  })

  it('takes the packets that are right, and lists the others by their places', () => {
    const { packets, rejected } = batchOf(packet, { ...packet, status: '' }, 7, { ...packet, protocol: 'X' })
    expect(packets.map(({ protocol }) => protocol)).toEqual(['S7', 'X'])
    expect(rejected.map(({ index }) => index)).toEqual([1, 2])
    expect(rejected[1]?.error).toMatch(/^the packet is 7, expected a JSON object/)
  })

  it.each([
    ['timestamp', -1],
    ['timestamp', 4_102_444_801],
    ['timestamp', Number.POSITIVE_INFINITY],
    ['timestamp', '1764000000'],
    ['protocol', ''],
    ['protocol', 'x'.repeat(129)],
    ['status', 'x'.repeat(129)],
    ['attack_type', 'x'.repeat(129)],
    ['src', 'x'.repeat(129)],
    ['raw_b64', 'A'.repeat(96 * 1024 + 4)],
    ['raw_b64', '?'],
    ['original_val', []],
    ['modified_val', 'x'],
    ['description', 'x'.repeat(1025)],
  ])('rejects a packet whose %s is out of bounds (%#)', (name, value) => {
    expect(rejects({ [name]: value })).toMatch(new RegExp(`^${name} is .*, expected `))
  })

  it.each([
    ['timestamp', 0],
    ['timestamp', 4_102_444_800],
    ['protocol', 'x'.repeat(128)],
    ['raw_b64', 'A'.repeat(96 * 1024)],
    ['description', 'x'.repeat(1024)],
  ])('takes a packet whose %s is at its bound (%#)', (name, value) => {
    expect(rejects({ [name]: value })).toBeUndefined()
  })

  it('takes 1 to 500 packets', () => {
    const batch = (count: number) => ({ source: 'lab', seq: 0, packets: Array(count).fill(packet) })
    expect(parsePacketBatch(batch(500)).packets).toHaveLength(500)
    expect(maximumRecords).toBe(500)
    for (const count of [0, 501]) {
      expect(mistake(parsePacketBatch, batch(count))).toMatch(
        /^invalid_request: Cannot ingest packets: packets is .*, expected a list of 1 to 500 items$/,
      )
    }
  })

  it.each([
    ['source', { source: '', seq: 0, packets: [packet] }],
    ['source', { source: 'x'.repeat(65), seq: 0, packets: [packet] }],
    ['seq', { source: 'lab', seq: -1, packets: [packet] }],
    ['seq', { source: 'lab', seq: 0.5, packets: [packet] }],
    ['unknown property "sequence"', { source: 'lab', seq: 0, sequence: 0, packets: [packet] }],
  ])('refuses a batch with a wrong %s (%#)', (name, body) => {
    expect(mistake(parsePacketBatch, body)).toContain(`invalid_request: Cannot ingest packets: ${name}`)
  })

  it('neither throws anything but invalid_request nor loses a packet, for any JSON', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { minLength: 1, maxLength: 8 }), (packets) => {
        const { packets: taken, rejected } = batchOf(...packets)
        expect(taken.length + rejected.length).toBe(packets.length)
      }),
      { seed: 21, numRuns: 60 },
    )
    fc.assert(
      fc.property(fc.jsonValue(), (body) => {
        expect(mistake(parsePacketBatch, body)).toMatch(/^invalid_request: Cannot ingest packets: /)
      }),
      { seed: 22, numRuns: 60 },
    )
  })
})

describe('parseTopology()', () => {
  const node = { id: 'plc', node_type: 'PLC' }
  const hmi = { id: 'hmi', node_type: 'STATION_HMI' }

  it('fills in what is left out, numbers links without an id, and keeps further fields', () => {
    const topology = parseTopology({
      nodes: [node, { ...hmi, vendor: { name: 'x' } }],
      links: [
        { src_id: 'hmi', dst_id: 'plc' },
        { id: 'mine', src_id: 'plc', dst_id: 'hmi', protocol: 'S7', threat_agent_ids: ['hmi'] },
      ],
      note: 'lab',
    })
    expect(topology).toEqual({
      format: 'GridSecSim',
      version: 2,
      note: 'lab',
      nodes: [
        { ...node, label: '', ip: '127.0.0.1', port: 0, proto: 'UDP', level: 0, x: 0, y: 0 },
        { ...hmi, label: '', ip: '127.0.0.1', port: 0, proto: 'UDP', level: 0, x: 0, y: 0, vendor: { name: 'x' } },
      ],
      links: [
        { id: 'link-1', src_id: 'hmi', dst_id: 'plc', protocol: 'C37.118', threat_agent_ids: [] },
        { id: 'mine', src_id: 'plc', dst_id: 'hmi', protocol: 'S7', threat_agent_ids: ['hmi'] },
      ],
    })
  })

  it('refuses two nodes with one id', () => {
    expect(mistake(parseTopology, { nodes: [hmi, node, node], links: [] })).toBe(
      'invalid_request: Cannot ingest topology: node "plc" appears twice',
    )
  })

  it.each([
    ['src_id', { src_id: 'gone', dst_id: 'plc' }],
    ['dst_id', { src_id: 'plc', dst_id: 'gone' }],
    ['threat_agent_ids', { src_id: 'plc', dst_id: 'plc', threat_agent_ids: ['plc', 'gone'] }],
  ])('refuses a link whose %s is not the id of a node', (_, link) => {
    const links = [{ src_id: 'plc', dst_id: 'plc' }, link]
    expect(mistake(parseTopology, { nodes: [node], links })).toBe(
      'invalid_request: Cannot ingest topology: links[1] names "gone", expected the id of a node',
    )
  })

  it.each([
    ['nodes', { nodes: Array.from({ length: 2001 }, (_, n) => ({ ...node, id: `n${n}` })), links: [] }],
    ['links', { nodes: [node], links: Array(4001).fill({ src_id: 'plc', dst_id: 'plc' }) }],
    ['nodes[0].id', { nodes: [{ ...node, id: 'x'.repeat(65) }], links: [] }],
    ['nodes[0].port', { nodes: [{ ...node, port: 65_536 }], links: [] }],
    ['nodes[0].level', { nodes: [{ ...node, level: 4 }], links: [] }],
    ['nodes[0].x', { nodes: [{ ...node, x: Number.POSITIVE_INFINITY }], links: [] }],
    ['nodes[0].depth', { nodes: [{ ...node, depth: Number.POSITIVE_INFINITY }], links: [] }],
    [
      'links[0].threat_agent_ids',
      { nodes: [node], links: [{ src_id: 'plc', dst_id: 'plc', threat_agent_ids: Array(65).fill('plc') }] },
    ],
  ])('refuses %s out of its bound', (place, body) => {
    expect(mistake(parseTopology, body)).toContain(`invalid_request: Cannot ingest topology: ${place} is `)
  })
})

describe('parseExternalStatus()', () => {
  it('expects the next heartbeat after ten seconds where none is named', () => {
    expect(parseExternalStatus({ running: true })).toEqual({ running: true, interval_s: 10 })
    const full = { running: false, uptime_s: 5.5, integrations: { pcap: true }, interval_s: 60 }
    expect(parseExternalStatus(full)).toEqual(full)
  })

  it.each([
    ['running', {}],
    ['running', { running: 1 }],
    ['uptime_s', { running: true, uptime_s: -1 }],
    ['interval_s', { running: true, interval_s: 0.5 }],
    ['interval_s', { running: true, interval_s: 3_601 }],
    ['integrations.pcap', { running: true, integrations: { pcap: 'yes' } }],
    ['unknown property "run"', { running: true, run: true }],
  ])('refuses a wrong %s (%#)', (name, body) => {
    expect(mistake(parseExternalStatus, body)).toContain(`invalid_request: Cannot ingest status: ${name}`)
  })
})

describe('bounds', () => {
  const node = { id: 'plc', node_type: 'PLC' }
  const link = { src_id: 'plc', dst_id: 'plc' }
  /** A topology whose only link, or only node, has this field; a link's ends exist. */
  const withNode = (field: object) => ({ nodes: [{ ...node, ...field }], links: [] })
  const withLinks = (...fields: object[]) => ({ nodes: [node], links: fields.map((field) => ({ ...link, ...field })) })
  const withEnd = (name: string) => (id: string) => ({
    nodes: [node, ...(id === '' ? [] : [{ ...node, id: id.slice(0, 64) }])],
    links: [{ ...link, [name]: id }],
  })
  const text = (length: number) => 'x'.repeat(length)
  const status = (field: object) => ({ running: true, ...field })

  const [short, long] = [
    [text(1), text(64)],
    ['', text(65)],
  ]
  type Row = [name: string, bodyOf: (value: never) => unknown, parse: unknown, taken: unknown[], refused: unknown[]]

  it.each<Row>([
    ['uptime_s', (uptime_s: number) => status({ uptime_s }), parseExternalStatus, [0, 1e10], [-1, 1e10 + 1]],
    ['interval_s', (interval_s: number) => status({ interval_s }), parseExternalStatus, [1, 3600], [0.9, 3600.1]],
    [
      'integrations',
      (name: string) => status({ integrations: { [name]: true } }),
      parseExternalStatus,
      [text(128)],
      [text(129)],
    ],
    ['port', (port: number) => withNode({ port }), parseTopology, [0, 65_535], [-1, 65_536]],
    ['level', (level: number) => withNode({ level }), parseTopology, [-1, 3], [-2, 4]],
    ['id', (id: string) => withNode({ id }), parseTopology, short, long],
    ['node_type', (node_type: string) => withNode({ node_type }), parseTopology, [text(1), text(128)], ['', text(129)]],
    ['label', (label: string) => withNode({ label }), parseTopology, [text(128)], [text(129)]],
    ['ip', (ip: string) => withNode({ ip }), parseTopology, [text(128)], [text(129)]],
    ['src_id', withEnd('src_id'), parseTopology, short, long],
    ['dst_id', withEnd('dst_id'), parseTopology, short, long],
    ['protocol', (protocol: string) => withLinks({ protocol }), parseTopology, [text(128)], [text(129)]],
    [
      'threat_agent_ids',
      (count: number) => withLinks({ threat_agent_ids: Array(count).fill('plc') }),
      parseTopology,
      [64],
      [65],
    ],
    [
      'nodes',
      (count: number) => ({ nodes: Array.from({ length: count }, (_, n) => ({ ...node, id: `${n}` })), links: [] }),
      parseTopology,
      [2000],
      [2001],
    ],
    ['links', (count: number) => withLinks(...Array(count).fill({})), parseTopology, [4000], [4001]],
    ['source', (source: string) => ({ source, seq: 0, packets: [packet] }), parsePacketBatch, short, long],
    ['seq', (seq: number) => ({ source: 'lab', seq, packets: [packet] }), parsePacketBatch, [0], [-1]],
  ])('of %s are met exactly', (name, bodyOf, parse, taken, refused) => {
    const mistakeOf = (value: unknown) => mistake(parse as typeof parseTopology, bodyOf(value as never))
    for (const value of taken) expect(mistakeOf(value)).toBeUndefined()
    for (const value of refused) expect(mistakeOf(value)).toContain(name)
  })
})

describe('toIncidentStatus()', () => {
  it.each([
    ['clean', 'clean'],
    ['attacked', 'attacked'],
    ['dropped', 'dropped'],
    ['invalid', 'invalid'],
    ['forward_error', 'dropped'],
    ['Clean', 'invalid'],
    ['', 'invalid'],
    ['constructor', 'invalid'],
  ])('reads "%s" as %s', (text, status) => {
    expect(toIncidentStatus(text)).toBe(status)
  })
})
