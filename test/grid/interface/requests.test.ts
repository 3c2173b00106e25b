/** Requests: every mistake named with its place, nothing past the bounds, and nothing taken by half. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { defaultConfiguration } from '#grid/configuration.ts'
import { GridError } from '#grid/errors.ts'
import { parseAttackDisable, parseAttackEnable } from '#grid/interface/attack-requests.ts'
import {
  maximumRecords,
  parseExternalStatus,
  parsePacketBatch,
  parseTopology,
  toIncidentStatus,
} from '#grid/interface/ingest-requests.ts'
import {
  expectNothing,
  parseConfiguration,
  parseGenerator,
  parseJoin,
  parseLoad,
  parseRestore,
  parseSpeed,
  parseSteps,
  parseSwitch,
  parseTapOrder,
} from '#grid/interface/requests.ts'
import { describeTopology } from '#grid/interface/topology.ts'
import { caseNames } from '#grid/network/cases/catalogue.ts'
import { startWorld } from '../../support/grid-session.ts'
import { refusal } from '../../support/refusal.ts'

/** The code and the message of what a parser throws. */
function mistake(parse: () => unknown): [code: string, message: string] {
  const { code = '', message = '' } = refusal(GridError, parse) ?? {}
  return [code, message]
}

/** JSON nested deeper than any request. */
function deep(levels: number): unknown {
  return JSON.parse(`${'{"a":['.repeat(levels)}1${']}'.repeat(levels)}`)
}

describe('parseAttackEnable()', () => {
  it.each([null, [], 'NOISE', 5])('refuses a body of %j, which is not an object', (body) => {
    expect(mistake(() => parseAttackEnable(body))).toEqual(['invalid_request', 'Request body must be a JSON object'])
  })

  it.each([{}, { type: '' }, { type: '  ' }, { type: 5 }, { type: null }])('refuses %j for its type', (body) => {
    expect(mistake(() => parseAttackEnable(body))).toEqual(['invalid_request', "Missing 'type' field"])
  })

  it.each([null, [], 'x', 3])('refuses params of %j, and reads absent ones as empty', (params) => {
    expect(mistake(() => parseAttackEnable({ type: 'X', params }))).toEqual([
      'invalid_request',
      'params must be a JSON object',
    ])
    expect(parseAttackEnable({ type: 'X' })).toEqual({ type: 'X', params: {} })
  })

  it('passes on what it does not judge: unknown types, wild values, its three extras, and names of the rest', () => {
    const body = { type: 'nonsense', params: { a: Number.NaN, b: deep(40) }, seed: -1, schedule: [], other: 1 }
    const { other: _, ...taken } = body
    expect(parseAttackEnable(body)).toEqual({ ...taken, unknown: ['other'] })
  })
})

describe('parseAttackDisable()', () => {
  it('refuses nothing, and takes texts that are not blank', () => {
    fc.assert(
      fc.property(fc.anything(), (body) => {
        const { mistakes = [], ...meant } = parseAttackDisable(body)
        expect(Object.values(meant).every((value) => typeof value === 'string')).toBe(true)
        // What is wrong in one place ends nothing: it is not known what was meant.
        if (mistakes.length > 0) expect(meant).toEqual({})
      }),
      { seed: 7 },
    )
    expect(parseAttackDisable({ type: 'noise', attack_id: 'NOISE-1' })).toEqual({ type: 'NOISE', attack_id: 'NOISE-1' })
    expect(parseAttackDisable({ type: 5, attack_id: '' })).toEqual({
      mistakes: ['type is 5, expected a text', 'attack_id is "", expected a text'],
    })
    expect(parseAttackDisable({ reason: 'over' })).toEqual({})
  })
})

describe('parseConfiguration()', () => {
  it('takes every default, every case, and any one field', () => {
    expect(parseConfiguration(defaultConfiguration)).toEqual(defaultConfiguration)
    for (const name of caseNames) expect(parseConfiguration({ case: name })).toEqual({ case: name })
    expect(parseConfiguration({})).toEqual({})
  })

  it.each([
    ['case', 'case15'],
    ['seed', -1],
    ['seed', 2 ** 32],
    ['seed', 1.5],
    ['mode', 'both'],
    ['pmu_rate', 7],
    ['scan_s', 0],
    ['heartbeat_s', 61],
    ['day', 'monday'],
    ['start_hour', 24],
    ['load_scale', 0],
    ['load_speed', -1],
    ['load_noise', Number.NaN],
    ['pickup', 'none'],
    ['agc_gain', Number.POSITIVE_INFINITY],
    ['start_time', 1.5],
    ['auto_pause_s', '120'],
    ['speed', 1],
  ])('refuses %s of %s by name', (name, value) => {
    const [code, message] = mistake(() => parseConfiguration({ [name]: value }))
    expect(code).toBe('invalid_configuration')
    expect(message).toMatch(/^Cannot read configuration: /)
    expect(message).toContain(name)
  })

  it.each([
    ['seed', 0, 2 ** 32 - 1, 1],
    ['scan_s', 1, 60, 1],
    ['heartbeat_s', 1, 60, 1],
    ['start_hour', 0, 23.999, 0.001],
    ['load_scale', 0.2, 1.5, 0.01],
    ['load_speed', 0, 60, 0.01],
    ['load_noise', 0, 0.05, 0.001],
    ['agc_gain', 0, 1, 0.01],
    ['start_time', 0, 4_102_444_800, 1],
    ['auto_pause_s', 0, 86_400, 1],
  ])('takes %s from %d to %d and nothing beyond', (name, least, most, step) => {
    for (const value of [least, most]) expect(parseConfiguration({ [name]: value })).toEqual({ [name]: value })
    for (const value of [least - step, most + step])
      expect(mistake(() => parseConfiguration({ [name]: value }))[1]).toContain(name)
  })

  it('lists all mistakes in one sentence each', () => {
    const [, message] = mistake(() => parseConfiguration({ seed: -1, scan_s: 0, day: 'x', other: 1 }))
    for (const name of ['seed', 'scan_s', 'day', 'other']) expect(message).toContain(name)
  })
})

describe('the small requests', () => {
  it.each([
    ['speed', 0.1, 60, 0.01, parseSpeed],
    ['steps', 1, 600, 1, parseSteps],
    ['scale', 0.2, 1.5, 0.01, (body: unknown) => parseLoad(body).scale],
  ] as const)('take %s from %d to %d and nothing beyond', (name, least, most, step, parse) => {
    for (const value of [least, most]) expect(parse({ [name]: value })).toBe(value)
    for (const value of [least - step, most + step])
      expect(mistake(() => parse({ [name]: value }))[1]).toContain(`${name} is `)
  })

  it('take a breaker of 1 to 64 characters', () => {
    const parse = (length: number) => parseSwitch({ breaker: 'x'.repeat(length), closed: true }).breaker
    for (const length of [1, 64]) expect(parse(length)).toHaveLength(length)
    for (const length of [0, 65]) expect(mistake(() => parse(length))[1]).toContain('breaker is ')
  })

  it('take their value and refuse others, infinity and NaN with them', () => {
    expect([parseSpeed({ speed: 60 }), parseSteps({ steps: 600 }), parseSteps(undefined)]).toEqual([60, 600, 1])
    expect(parseLoad({ scale: 1.5 })).toEqual({ kind: 'load', scale: 1.5 })
    const breaker = 'CB-1-2'
    expect(parseSwitch({ breaker, closed: false })).toEqual({ kind: 'switch', breaker, closed: false })
    expect(parseJoin({ breaker })).toEqual({ kind: 'switch', breaker, closed: true, closing: 'synchronized' })
    expect(parseRestore({ bus: 9, share: 0.5 })).toEqual({ kind: 'restore', bus: 9, share: 0.5 })
    expect(parseRestore(undefined)).toEqual({ kind: 'restore', share: 1 })
    expect(parseGenerator({ bus: 2, p_mw: 60 })).toEqual({ kind: 'generator', bus: 2, p_mw: 60 })
    expect(parseTapOrder({ breaker, position: -16 })).toEqual({ kind: 'tap', breaker, position: -16 })
    const wrong = [
      () => parseTapOrder({ breaker, position: 17 }),
      () => parseTapOrder({ breaker, position: 0.5 }),
      () => parseGenerator({ bus: 2 }),
      () => parseRestore({ share: 2 }),
      () => parseJoin({ breaker, closing: 'checked' }),
      () => parseSpeed({ speed: Number.POSITIVE_INFINITY }),
      () => parseSpeed({ speed: Number.NaN }),
      () => parseSpeed({ speed: 0 }),
      () => parseSpeed({}),
      () => parseSteps({ steps: 601 }),
      () => parseSteps({ steps: 0.5 }),
      () => parseLoad({ scale: JSON.parse('1e999') }),
      () => parseLoad({ scale: 1, more: 1 }),
      () => parseSwitch({ breaker: 'CB-1-2' }),
      () => parseSwitch({ breaker: '', closed: true }),
    ]
    for (const parse of wrong)
      expect(mistake(parse)).toEqual(['invalid_request', expect.stringMatching(/^Cannot .+: .+/)])
  })
})

describe('parsePacketBatch()', () => {
  const packet = { timestamp: 1_764_000_000.5, protocol: 'DNP3', status: 'clean' }

  it('takes the packets that are right and lists the others with place and reason', () => {
    const packets = [
      packet,
      { ...packet, timestamp: JSON.parse('1e999') },
      { ...packet, raw_b64: '***' },
      'text',
      { protocol: 'DNP3' },
      { ...packet, original_val: { deep: deep(200) } },
    ]
    const batch = parsePacketBatch({ source: 'lab', seq: 0, packets })
    expect(batch.packets).toEqual([packet, packets[5]])
    expect(batch.rejected.map(({ index }) => index)).toEqual([1, 2, 3, 4])
    expect(batch.rejected.map(({ error }) => error)).toEqual([
      'timestamp is Infinity, expected a number from 0 to 4102444800',
      'raw_b64 is "***", expected Base64 of at most 98304 characters',
      expect.stringMatching(/^the packet is "text", expected a JSON object with timestamp, protocol, /),
      'timestamp is missing, expected a number from 0 to 4102444800; status is missing, expected a text of 1 to 128 characters',
    ])
  })

  it.each([
    { seq: 0, packets: [packet] },
    { source: 'lab', seq: -1, packets: [packet] },
    { source: 'lab', seq: 0, packets: [] },
    { source: 'lab', seq: 0, packets: Array(maximumRecords + 1).fill(packet) },
    { source: 'x'.repeat(65), seq: 0, packets: [packet] },
    { source: 'lab', seq: 0, packets: [packet], more: true },
  ])('refuses a batch that is wrong itself', (body) => {
    expect(mistake(() => parsePacketBatch(body))[0]).toBe('invalid_request')
  })
})

describe('parseTopology()', () => {
  const node = (id: string) => ({ id, node_type: 'PMU' })

  it('takes our own snapshot back as it was', () => {
    const own = JSON.parse(JSON.stringify(describeTopology(startWorld())))
    expect(parseTopology(own)).toEqual(own)
  })

  it('fills in the defaults of the format and names links that have none', () => {
    expect(parseTopology({ nodes: [node('a'), node('b')], links: [{ src_id: 'a', dst_id: 'b' }] })).toMatchObject({
      format: 'GridSecSim',
      version: 2,
      nodes: [{ id: 'a', ip: '127.0.0.1', port: 0, proto: 'UDP', level: 0 }, { id: 'b' }],
      links: [{ id: 'link-1', protocol: 'C37.118', threat_agent_ids: [] }],
    })
  })

  it.each([
    [[{ src_id: 'a', dst_id: 'ghost' }], 'links[0] names "ghost"'],
    [
      [
        { src_id: 'a', dst_id: 'b' },
        { src_id: 'ghost', dst_id: 'b' },
      ],
      'links[1] names "ghost"',
    ],
    [[{ src_id: 'a', dst_id: 'b', threat_agent_ids: ['ghost'] }], 'links[0] names "ghost"'],
    [[{ id: { toString: 1 }, src_id: 'a', dst_id: 'b' }], 'links[0].id'],
  ])('refuses a link into nothing, or with an id that is not a text or a number', (links, words) => {
    const [code, message] = mistake(() => parseTopology({ nodes: [node('a'), node('b')], links }))
    expect(code).toBe('invalid_request')
    expect(message).toContain(words)
  })

  it('refuses a node that appears twice, and places that are not numbers', () => {
    expect(mistake(() => parseTopology({ nodes: [node('a'), node('a')], links: [] }))[1]).toContain(
      'node "a" appears twice',
    )
    const nowhere = { ...node('a'), x: Number.NaN, y: Number.POSITIVE_INFINITY, port: 70_000, level: 9 }
    const [, message] = mistake(() => parseTopology({ nodes: [nowhere], links: [] }))
    for (const field of ['x', 'y', 'port', 'level']) expect(message).toContain(`nodes[0].${field}`)
  })
})

describe('parseExternalStatus()', () => {
  it('takes a heartbeat with its interval, and no other shape', () => {
    expect(parseExternalStatus({ running: true })).toEqual({ running: true, interval_s: 10 })
    expect(mistake(() => parseExternalStatus({ running: 'yes' }))[0]).toBe('invalid_request')
    expect(mistake(() => parseExternalStatus({ running: true, interval_s: 0 }))[0]).toBe('invalid_request')
  })
})

describe('toIncidentStatus()', () => {
  it('keeps the four, counts a forwarding error as a loss, and anything else as invalid', () => {
    const words = ['clean', 'attacked', 'dropped', 'invalid', 'forward_error', 'CLEAN', '']
    expect(words.map(toIncidentStatus)).toEqual([
      'clean',
      'attacked',
      'dropped',
      'invalid',
      'dropped',
      'invalid',
      'invalid',
    ])
  })
})

describe('every parser', () => {
  it('answers anything at all with a value or an error of the domain', () => {
    const parsers = [
      parseAttackEnable,
      parseConfiguration,
      parseSpeed,
      parseSteps,
      parseSwitch,
      parseLoad,
      parsePacketBatch,
      parseTopology,
      parseExternalStatus,
    ]
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withBigInt: true }), (body) => {
        for (const parse of parsers) mistake(() => parse(body))
      }),
      { seed: 8 },
    )
  })
})

describe('expectNothing()', () => {
  it.each([undefined, {}])('takes %j', (body) => {
    expect(mistake(() => expectNothing(body))).toEqual(['', ''])
  })

  it.each([null, [], '', 0, { seed: 1 }, { a: undefined }])('refuses %j', (body) => {
    expect(mistake(() => expectNothing(body))).toEqual([
      'invalid_request',
      'Cannot reset: the body must be absent or {}',
    ])
  })
})

describe('infinity in a topology', () => {
  it.each(['x', 'rating', 'level', 'port'])('is refused in the field %s of a node', (field) => {
    const body = JSON.parse(`{"nodes":[{"id":"a","node_type":"PMU","${field}":-1e999}],"links":[]}`)
    expect(mistake(() => parseTopology(body))[1]).toMatch(/^Cannot ingest topology: nodes\[0\]/)
  })

  it('is refused inside anything that is kept as it is', () => {
    const body = JSON.parse('{"nodes":[],"links":[],"more":{"list":[{"value":1e999}]}}')
    expect(mistake(() => parseTopology(body))[0]).toBe('invalid_request')
    expect(parseTopology({ nodes: [], links: [], more: { list: [{ value: 1e300 }] } })).toMatchObject({
      more: { list: [{ value: 1e300 }] },
    })
  })
})
