/**
 * Messages between a front and its FrontObject, version 1: JSON lists, one in each frame of a WebSocket.
 *
 * A message is `[sequence, item, ...]`. Each end numbers its messages 1, 2, 3 and closes the connection at a message
 * that has another number, is not of this form or is beyond a bound. An item of the front is a question
 * `[kind, number, ...]`; the service answers it with `["ok", number, value]` or `["failed", number, reason]`, in any
 * order. A question is sent once: its answer comes on the same connection, or never.
 */

import { isRecord, parseJsonList, stringifyWide } from '../../base/json.ts'
import { RatelimitError } from '../errors.ts'
import type { DrawCall } from '../lease/source.ts'
import type { CounterHit, StatDelta } from '../ports.ts'
import type { UsageReport } from '../usage/types.ts'
import { readDrawCall } from './draw-call.ts'
import { readHit, writeHit } from './hits.ts'
import { readUsageReport } from './usage-report.ts'
import { isCount, list, malformed } from './values.ts'

/** Version of the messages; another one is another release. */
export const frontProtocol = 1

/** Path of the connection, at the service. */
export const frontPath = '/front'

/** Bounds on a message of a front, which sends as many messages as it takes. */
export const messageBounds = { characters: 4_194_304, items: 1_024 } as const

/** Close codes of a connection: 4000 and an HTTP status that means about the same. */
export const frontCloseCodes = {
  /** A message that is not of this form, out of order or beyond a bound. */
  malformed: 4_400,
  /** A caller without FRONT_TOKEN. */
  unauthorized: 4_401,
  /** A front of another release, or a service whose requests only it can answer: the front forwards them. */
  forwarding: 4_409,
  /** The same front has connected again. */
  replaced: 4_410,
} as const

/** A question of a front. */
export type Question =
  | { readonly kind: 'hit' | 'look'; readonly number: number; readonly hits: readonly CounterHit[] }
  | { readonly kind: 'draw'; readonly number: number; readonly call: DrawCall }
  | {
      readonly kind: 'stats'
      readonly number: number
      readonly sender: string
      readonly batch: number
      readonly deltas: readonly StatDelta[]
    }
  | { readonly kind: 'usage'; readonly number: number; readonly report: UsageReport }
  | { readonly kind: 'rules'; readonly number: number; readonly revision: number; readonly listVersion: number }

/** A part of a message of the service. */
export type Reply =
  /** First of a connection: the settings of decisions, as texts by their names. */
  | { readonly kind: 'ready'; readonly settings: Readonly<Record<string, string>> }
  /** A part of the text of a value, in order; the value of the answer that follows is null. */
  | { readonly kind: 'part'; readonly number: number; readonly text: string }
  | { readonly kind: 'ok'; readonly number: number; readonly value: unknown }
  | { readonly kind: 'failed'; readonly number: number; readonly reason: string }

/** Characters of the items of a message, but for one that is longer itself. */
const packedLength = 524_288

/** Divides items among messages that are within the bounds. */
export function packItems(items: readonly string[]): readonly (readonly string[])[] {
  const messages: string[][] = []
  let length = Number.POSITIVE_INFINITY
  for (const item of items) {
    const last = messages.at(-1)
    if (last === undefined || length + item.length > packedLength || last.length >= messageBounds.items) {
      messages.push([item])
      length = item.length
    } else {
      last.push(item)
      length += item.length
    }
  }
  return messages
}

/** The text of a message. */
export function writeMessage(sequence: number, items: readonly string[]): string {
  return `[${sequence},${items.join(',')}]`
}

/** Characters of a message besides its items: the number and the brackets. */
const frameLength = 24

/**
 * Writes a question as an item.
 *
 * @throws RatelimitError request_too_large when no message has room for it, so that it ends no connection of others.
 */
export function writeQuestion(question: Question): string {
  const item = writeItem(question)
  if (item.length <= messageBounds.characters - frameLength) return item
  const state = `it has ${item.length} characters, expected at most ${messageBounds.characters - frameLength}`
  throw new RatelimitError('request_too_large', `Cannot ask the service: ${state}`)
}

function writeItem(question: Question): string {
  const { kind, number } = question
  switch (kind) {
    case 'hit':
    case 'look':
      return JSON.stringify([kind, number, question.hits.map(writeHit)])
    case 'draw': {
      const { object, id, holder, draws } = question.call
      return JSON.stringify([kind, number, object, id, holder, draws])
    }
    case 'stats': {
      const deltas = question.deltas.map(({ name, delta }) => [name, delta])
      return JSON.stringify([kind, number, question.sender, question.batch, deltas])
    }
    case 'usage':
      return stringifyWide([kind, number, question.report])
    case 'rules':
      return JSON.stringify([kind, number, question.revision, question.listVersion])
  }
}

/** Writes a reply as an item. */
export function writeReply(reply: Reply): string {
  if (reply.kind === 'ready') return JSON.stringify([reply.kind, reply.settings])
  const { kind, number } = reply
  return JSON.stringify([kind, number, kind === 'ok' ? reply.value : kind === 'part' ? reply.text : reply.reason])
}

/**
 * Reads a message of a front.
 *
 * @param expected - the number that it must have.
 * @throws RatelimitError malformed_request when it is not of the form above, has another number or is beyond a bound.
 */
export function readQuestions(text: string, expected: number): readonly Question[] {
  if (text.length > messageBounds.characters) throw malformed(`it has ${text.length} characters`)
  return readItems(text, expected).map(readQuestion)
}

/**
 * Reads a message of the service, whose length the front does not bound.
 *
 * @throws RatelimitError as `readQuestions` does.
 */
export function readReplies(text: string, expected: number): readonly Reply[] {
  return readItems(text, expected).map(readReply)
}

function readItems(text: string, expected: number): readonly (readonly unknown[])[] {
  const [sequence, ...items] = parseJsonList(text, malformed)
  if (sequence !== expected) throw malformed(`its number is ${shown(sequence)}, expected ${expected}`)
  if (items.length > messageBounds.items) throw malformed(`it has ${items.length} items`)
  return items.map((item) => {
    if (!Array.isArray(item)) throw malformed('an item is not a list')
    return item
  })
}

function readQuestion([kind, number, ...rest]: readonly unknown[]): Question {
  if (!isCount(number)) throw malformed('a question has no number')
  const [first, second, third] = rest
  if (kind === 'hit' || kind === 'look') return { kind, number, hits: list(first).map(readHit) }
  if (kind === 'draw') return { kind, number, call: readDrawCall(rest) }
  if (kind === 'usage') return { kind, number, report: readUsageReport(first) }
  if (kind === 'rules' && isCount(first) && isCount(second))
    return { kind, number, revision: first, listVersion: second }
  if (kind === 'stats' && typeof first === 'string' && first.length <= longestSender && isCount(second)) {
    return { kind, number, sender: first, batch: second, deltas: list(third).map(readDelta) }
  }
  throw malformed(`it has no question ${shown(kind)} of this form`)
}

/** Characters of the name under which a front hands over statistics. */
const longestSender = 64

function readDelta(pair: unknown): StatDelta {
  const [name, delta] = list(pair)
  if (typeof name !== 'string' || typeof delta !== 'number' || !Number.isFinite(delta)) {
    throw malformed('a statistic is not of this form')
  }
  return { name, delta }
}

function readReply([kind, number, value]: readonly unknown[]): Reply {
  if (kind === 'ready' && isRecord(number)) return { kind, settings: readTexts(number) }
  if (!isCount(number)) throw malformed('an answer has no number')
  if (kind === 'ok') return { kind, number, value }
  if (typeof value !== 'string') throw malformed('an answer is not of this form')
  if (kind === 'part') return { kind, number, text: value }
  if (kind === 'failed') return { kind, number, reason: value }
  throw malformed(`it has no answer ${shown(kind)}`)
}

function readTexts(record: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const pairs = Object.entries(record).filter((pair): pair is [string, string] => typeof pair[1] === 'string')
  return Object.fromEntries(pairs)
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'missing').slice(0, 40)
}
