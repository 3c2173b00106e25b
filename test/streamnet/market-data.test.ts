import { describe, expect, test } from 'vitest'
import { decodeHex, encodeHex } from '#base/hex.ts'
import { encodeComponents } from '#streamnet/codec/abi.ts'
import { attestedActionId, hashComponents } from '#streamnet/codec/attestation.ts'
import { parseAddress } from '#streamnet/ids.ts'
import { decodeMarketData, decodeQueryComponents } from '#streamnet/market-data.ts'
import {
  encodeMarketQuestion,
  encodeQueryComponents,
  hashQueryComponents,
  type MarketAction,
} from '#streamnet/market-question.ts'
import { vectorsOf } from '../support/streams-vectors.ts'

interface Input {
  readonly data_provider?: string
  readonly stream_id?: string
  readonly action?: string
  readonly timestamp?: number
  readonly thresholds?: readonly string[]
  readonly frozen_at?: number | null
  readonly query_components_hex?: string
  readonly args_hex?: string
}

interface Expected {
  readonly args_hex?: string
  readonly query_components_hex?: string
  readonly action_id?: number | string
  readonly market_hash?: string
  readonly decode_query_components?: Readonly<Record<string, string>>
  readonly decode_market_data?: Readonly<Record<string, unknown>>
  readonly type?: string
  readonly thresholds?: readonly string[]
  readonly stream_id?: string
  readonly data_provider?: string
  readonly data_provider_lower?: string
  readonly args?: string
  readonly error_contains?: string
}

// The vectors are in the wire's snake case.
const snake = (record: object) =>
  Object.fromEntries(
    Object.entries(record).map(([key, value]) => [key.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`), value]),
  )

const btc = 'stbtcusd000000000000000000000000'
const provider = '0x4710a8d8f0d845da110086812a32de6d90d7ff5c'

for (const { id, input, expected } of vectorsOf<Input, Expected>('market')) {
  test(`markets follow vector ${id}`, () => {
    if (expected.error_contains !== undefined) {
      const params = { dataProvider: provider, streamId: btc, actionId: 'get_record', args: new Uint8Array() }
      const wrong = {
        ...params,
        dataProvider: input.data_provider ?? params.dataProvider,
        streamId: input.stream_id ?? params.streamId,
        actionId: input.action ?? params.actionId,
      }
      expect(() => encodeQueryComponents(wrong)).toThrow(expected.error_contains)
    } else if (input.thresholds !== undefined) {
      const { data_provider = '', stream_id = '', action = '', timestamp = 0, thresholds } = input
      const question = { dataProvider: data_provider, streamId: stream_id, timestamp }
      // The vector names one of the four.
      const components = encodeMarketQuestion(action as MarketAction, question, thresholds)
      expect(encodeHex(components)).toBe(expected.query_components_hex)
      expect(encodeHex(hashQueryComponents(components))).toBe(expected.market_hash)
      expect(attestedActionId(action)).toBe(expected.action_id)
      expect(snake(decodeQueryComponents(components))).toEqual(expected.decode_query_components)
      expect(snake(decodeMarketData(components))).toEqual(expected.decode_market_data)
      expect(decodeQueryComponents(components).args).toBe(expected.args_hex)
    } else if (expected.market_hash !== undefined) {
      const args = decodeHex(expected.args_hex ?? '')
      const other = { dataProvider: parseAddress(provider), streamId: btc, action: 'price_above_threshold', args }
      expect(encodeHex(hashComponents(other))).toBe(expected.market_hash)
      expect(decodeMarketData(encodeComponents(other)).thresholds).toEqual(['100000.0'])
      const ours = encodeMarketQuestion(
        'price_above_threshold',
        { dataProvider: provider, streamId: btc, timestamp: 1735689600 },
        ['100000.0'],
      )
      expect(encodeHex(hashQueryComponents(ours))).not.toBe(expected.market_hash)
    } else if (input.args_hex !== undefined) {
      const components = encodeQueryComponents({
        dataProvider: input.data_provider ?? '',
        streamId: input.stream_id ?? '',
        actionId: input.action ?? '',
        args: decodeHex(input.args_hex),
      })
      expect(encodeHex(components)).toBe(expected.query_components_hex)
    } else {
      const bytes = decodeHex(input.query_components_hex ?? '')
      const decoded = expected.type === undefined ? decodeQueryComponents(bytes) : decodeMarketData(bytes)
      const { data_provider_lower, ...rest } = expected
      expect(snake(decoded)).toMatchObject(rest)
      if (data_provider_lower) expect(decoded.dataProvider.toLowerCase()).toBe(data_provider_lower)
    }
  })
}

describe('decodeMarketData()', () => {
  const components = encodeMarketQuestion(
    'value_equals',
    { dataProvider: provider, streamId: btc, timestamp: 1, frozenAt: 9 },
    ['5', '0.5'],
  )

  test('decodes a list of questions through map(), which passes an index after each', () => {
    expect([components, components].map(decodeMarketData).map(({ type }) => type)).toEqual(['equals', 'equals'])
  })

  test('reads target and tolerance of an equals market', () => {
    expect(decodeMarketData(components)).toMatchObject({
      type: 'equals',
      thresholds: ['5.000000000000000000', '0.500000000000000000'],
    })
  })

  test('calls any other action unknown and does not read its arguments', () => {
    const other = encodeQueryComponents({
      dataProvider: provider,
      streamId: btc,
      actionId: 'get_record',
      args: new Uint8Array([1, 2, 3]),
    })
    expect(decodeMarketData(other)).toMatchObject({ type: 'unknown', thresholds: [] })
  })

  test('refuses components cut anywhere, or pointing outside', () => {
    for (let length = 0; length < components.length - 32; length += 7) {
      expect(() => decodeMarketData(components.subarray(0, length))).toThrow(
        expect.objectContaining({ code: 'malformed_bytes' }),
      )
    }
    const outside = components.slice()
    outside.fill(255, 64, 96)
    expect(() => decodeMarketData(outside)).toThrow('an offset lies outside')
  })
})

test.each(['', 'abc', '1e400', '1234567890123456789'])('encodeMarketQuestion() refuses threshold %j', (threshold) => {
  const question = { dataProvider: provider, streamId: btc, timestamp: 1 }
  expect(() => encodeMarketQuestion('price_above_threshold', question, [threshold])).toThrow(
    expect.objectContaining({ code: 'invalid_argument' }),
  )
})
