/** Questions of markets: read once for each market, and said as a sentence. */

import { signal } from '@preact/signals'
import { decodeHex } from '#base/hex.ts'
import type { Market } from '#gateway/contract/results.ts'
import { useResource } from '../../frame/resource.ts'
import { onDay } from '../../frame/time.ts'
import { read } from '../gateway.ts'
import { type StreamPlace, streamTitle } from '../name-book.ts'

/** The kinds of questions that a person may ask, as forms name them. */
export const questionKinds = [
  ['above', 'above'],
  ['below', 'below'],
  ['between', 'between two values'],
  ['equals', 'equal to'],
] as const

/** The kind of a question; an action that is not one of the four is `unknown`. */
export type QuestionKind = (typeof questionKinds)[number][0] | 'unknown'

/** A question about a stream. */
export interface Question {
  readonly stream: StreamPlace
  readonly action: string
  readonly type: QuestionKind
  /** Decimal texts: one bound, two bounds, or a value and the distance from it. */
  readonly thresholds: readonly string[]
  /** The date whose value counts, in Unix seconds. */
  readonly at: number
}

/** A market as get_market_info gives it. */
export interface MarketInfo extends Market {
  readonly query_components: string
  readonly bridge: string | null
  readonly settled_at: number | null
  readonly creator: string
}

type Decoded = StreamPlace & Pick<Question, 'type' | 'thresholds'> & { readonly action_id: string }

/** Questions by the hash of their market, which changes with every word of them. */
const questions = signal<ReadonlyMap<string, Question>>(new Map())

/** Keeps the question of a market known while the component is mounted; undefined until it is read. */
export function useQuestion({ id, hash }: Pick<Market, 'id' | 'hash'>): Question | undefined {
  useResource(async (stopping) => {
    if (questions.peek().has(hash)) return
    const { query_components } = await read<MarketInfo>('get_market_info', { query_id: id }, stopping)
    const found = await readQuestion(query_components, stopping)
    questions.value = new Map(questions.peek()).set(hash, found)
  }, hash)
  return questions.value.get(hash)
}

/** The question of a market as a sentence, where a view has read it. */
export function findQuestion({ hash }: Pick<Market, 'hash'>): string | undefined {
  const question = questions.value.get(hash)
  return question && describeQuestion(question)
}

async function readQuestion(query_components: string, stopping: AbortSignal): Promise<Question> {
  const [decoded, { args }] = await Promise.all([
    read<Decoded>('decode_market_data', { query_components }, stopping),
    read<{ readonly args: string }>('decode_query_components', { query_components }, stopping),
  ])
  const { stream_id, data_provider, action_id: action, type, thresholds } = decoded
  return { stream: { stream_id, data_provider }, action, type, thresholds, at: type === 'unknown' ? 0 : findDate(args) }
}

/**
 * The date in the canonical arguments of a question.
 *
 * @param args - Hex: u32 count, then provider, stream, date and others, each behind its u32 length, little endian; the
 * value of the date is the last eight octets of its part, big endian.
 */
export function findDate(args: string): number {
  const bytes = decodeHex(args.replace(/^0x/, ''))
  const view = new DataView(bytes.buffer)
  let end = 4
  for (let part = 0; part < 3; part++) end += 4 + view.getUint32(end, true)
  return Number(view.getBigInt64(end - 8))
}

/** A question as a sentence, such as `Will eggs be above 3.20 on 24 December 2026?`. */
export function describeQuestion({ stream, action, type, thresholds, at }: Question): string {
  const name = streamTitle(stream)
  if (type === 'unknown') return `Will ${action} of ${name} be above 0?`
  const [first = '', second = ''] = thresholds.map(plainDecimal)
  const bound = {
    above: `above ${first}`,
    below: `below ${first}`,
    between: `between ${first} and ${second}`,
    equals: `${first}${Number(second) === 0 ? '' : `, give or take ${second}`}`,
  }[type]
  return `Will ${name} be ${bound} ${onDay(at * 1000)}?`
}

/** A decimal without zeros at its end; a part of one has two digits at least, as prices do. */
function plainDecimal(text: string): string {
  const [whole = '', part = ''] = text.split('.')
  const digits = part.replace(/0+$/, '')
  return digits === '' ? whole : `${whole}.${digits.padEnd(2, '0')}`
}
