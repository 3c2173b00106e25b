import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { encodeHex } from '#base/hex.ts'
import { decodeQueryComponents, generateStreamId } from '#streamnet/index.ts'
import { encodeMarketQuestion, type MarketAction } from '#streamnet/market-question.ts'
import { stubPage } from '#test/support/page-globals.ts'

let questions: typeof import('#console/streamnet/markets/question.ts')

const owner = `0x${'ab'.repeat(20)}`
const stream_id = generateStreamId('eggs')
const stream = { stream_id, data_provider: owner }
const christmas = Date.UTC(2026, 11, 24) / 1000

beforeAll(async () => {
  stubPage()
  questions = await import('#console/streamnet/markets/question.ts')
  const { offerNetworkNames } = await import('#console/streamnet/name-book.ts')
  offerNetworkNames([{ ...stream, value_s: 'eggs' }])
})
afterAll(() => vi.unstubAllGlobals())

describe('findDate()', () => {
  it.each<[MarketAction, readonly string[], number | undefined]>([
    ['price_above_threshold', ['3.2'], undefined],
    ['value_in_range', ['1', '2'], 7],
    ['value_equals', ['45', '0.5'], undefined],
  ])('reads the date of %s as the client encodes it', (action, thresholds, frozenAt) => {
    for (const timestamp of [1, christmas, 2 ** 40]) {
      const question = { dataProvider: owner, streamId: stream_id, timestamp, frozenAt }
      const { args } = decodeQueryComponents(encodeMarketQuestion(action, question, thresholds))
      expect(questions.findDate(args)).toBe(timestamp)
      expect(questions.findDate(`0x${args.replace(/^0x/, '')}`)).toBe(timestamp)
    }
  })

  it('throws on arguments that end early', () => {
    expect(() => questions.findDate(encodeHex(Uint8Array.of(3, 0, 0, 0, 9)))).toThrow(RangeError)
  })
})

describe('describeQuestion()', () => {
  it.each([
    ['above', ['3.200000000000000000'], christmas, 'Will eggs be above 3.20 on 24 December 2026?'],
    ['below', ['335.000000000000000000'], christmas + 66_600, 'Will eggs be below 335 on 24 December 2026 at 18:30?'],
    ['between', ['1.5', '2.125'], christmas, 'Will eggs be between 1.50 and 2.125 on 24 December 2026?'],
    ['equals', ['45', '0.5'], christmas, 'Will eggs be 45, give or take 0.50 on 24 December 2026?'],
    ['equals', ['45', '0.000'], christmas, 'Will eggs be 45 on 24 December 2026?'],
    ['above', ['1'], 9e15, 'Will eggs be above 1 at an unknown date?'],
    ['unknown', [], 0, 'Will get_record of eggs be above 0?'],
  ] as const)('says a question of type %s as a sentence', (type, thresholds, at, sentence) => {
    expect(questions.describeQuestion({ stream, action: 'get_record', type, thresholds, at })).toBe(sentence)
  })
})
