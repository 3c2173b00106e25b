/** Events of the stream: topics and subscriptions, encoded events, and the bounded queue of one listener. */

import { formatEvent } from '../../base/event-stream.ts'
import { nearest } from '../../base/nearest.ts'
import { firstRetained, listRing, type Ring } from '../../base/ring.ts'
import { encodeUtf8 } from '../../base/utf8.ts'
import { GridError } from '../errors.ts'
import type { Visibility } from '../rights.ts'
import type { IncidentRecord } from '../types.ts'
import { showIncident } from './evidence.ts'

/** Most events that may wait for a listener that does not read; then its stream is ended. */
export const queueCapacity = 100

/** The events, and their octets, that may wait for one listener that reads more slowly than a burst arrives. */
export const backlog = { events: 20_000, bytes: 8 * 1024 * 1024 } as const

/** Milliseconds of silence after which a comment keeps a stream alive. */
export const keepaliveMs = 30_000

/** Every topic that a listener can ask for; without a choice it gets `incident`. */
export const topics = ['incident', 'grid', 'alarm', 'attack', 'gap', 'status', 'diagram'] as const

/** A kind of events; those of `command` go to an outside simulator, by a separate route. */
export type Topic = (typeof topics)[number] | 'command'

/** One event before it is encoded; only incidents have a number, because only they can be replayed. */
export interface StreamEvent {
  readonly topic: Topic
  /** Number of the incident for the life of the session, counted from one. */
  readonly number?: number
  /** The listeners that get it; by default those that see everything, so that a new kind of event reveals nothing. */
  readonly audience?: Audience
  readonly data: unknown
}

/** The listeners of an event: every one, or those that see one part of the simulation. */
export type Audience = 'all' | Visibility

/** The topics and the form that a listener asked for. */
export interface Subscription {
  readonly topics: ReadonlySet<Topic>
  readonly withIds: boolean
  readonly visibility: Visibility
}

/** Tests that a listener gets an event. */
export function isSubscribed(
  { topics, visibility }: Pick<Subscription, 'topics' | 'visibility'>,
  { topic, audience }: Pick<EncodedEvent, 'topic' | 'audience'>,
): boolean {
  return topics.has(topic) && (audience === 'all' || audience === visibility)
}

/** The event of an incident. */
export function incidentEvent(record: IncidentRecord, number: number): StreamEvent {
  return { topic: 'incident', number, data: showIncident(record) }
}

/** Tests that the contract's stream carries an incident: only attacked and dropped ones. */
export function isAudible(incident: IncidentRecord): boolean {
  return incident.status === 'attacked' || incident.status === 'dropped'
}

/** The topics of the control room; its events of `grid` and its diagram hold only what arrived there. */
export const controlRoomTopics = ['alarm', 'gap', 'grid', 'diagram'] as const satisfies readonly Topic[]

/** Reads a list of topics such as `incident,grid`: incidents for an empty one, in the control room alarms. */
export function parseTopics(text: string | undefined, visibility: Visibility): ReadonlySet<Topic> {
  const named = splitNames(text)
  const offered: readonly Topic[] = visibility === 'full' ? topics : controlRoomTopics
  const known = offered.filter((topic) => named.includes(topic))
  return new Set(known.length > 0 ? known : [visibility === 'full' ? 'incident' : 'alarm'])
}

function splitNames(text = ''): readonly string[] {
  return text.split(',').map((name) => name.trim().toLowerCase())
}

/**
 * Refuses a list that names a topic which does not exist: its reader would wait for events that never come.
 *
 * @throws GridError invalid_request when a topic does not exist; the message names the nearest one.
 */
export function expectTopics(text: string | undefined): void {
  const unknown = splitNames(text).find((name) => name !== '' && !(topics as readonly string[]).includes(name))
  if (unknown === undefined) return
  const meant = nearest(unknown, topics)
  throw new GridError('invalid_request', `Cannot open the stream: unknown topic "${unknown.slice(0, 64)}"`, {
    hint: `${meant === undefined ? '' : `Did you mean "${meant}"? `}Topics are ${topics.join(', ')}`,
  })
}

/** An event in both encoded forms, which all listeners share. */
export interface EncodedEvent {
  readonly topic: Topic
  readonly audience: Audience
  readonly plain: Uint8Array
  /** The same with an `id` line; equal to `plain` for events that cannot be replayed. */
  readonly numbered: Uint8Array
}

/** Writes an event for listeners with and without identifiers. */
export function encodeStreamEvent(event: StreamEvent, session: string): EncodedEvent {
  const data = JSON.stringify(event.data)
  const { topic, audience = 'full' } = event
  const plain = encodeUtf8(formatEvent({ event: topic, data }))
  if (event.number === undefined) return { topic, audience, plain, numbered: plain }
  const id = toEventId(session, event.number)
  return { topic, audience, plain, numbered: encodeUtf8(formatEvent({ event: topic, id, data })) }
}

/** The identifier of an incident on the stream: the head of its session's id and its number there. */
export function toEventId(session: string, number: number): string {
  return `${session.slice(0, 8)}-${number}`
}

/**
 * Finds the audible incidents after the `Last-Event-ID` of a listener (`toEventId`): the newest, as many as a queue
 * holds, and how many are skipped; `known` is false for an id of another session.
 */
export function findMissed(incidents: Ring<IncidentRecord>, session: string, lastEventId: string) {
  const match = /^([0-9a-f]{8})-(\d{1,15})$/.exec(lastEventId)
  if (match === null || match[1] !== session.slice(0, 8)) return { events: [], skipped: 0, known: false }
  const seen = Number(match[2])
  const first = firstRetained(incidents)
  const missed = listRing(incidents)
    .map((record, index) => ({ number: first + index + 1, record }))
    .filter(({ number, record }) => number > seen && isAudible(record))
  const events = missed.slice(-queueCapacity).map(({ number, record }) => incidentEvent(record, number))
  return { events, skipped: missed.length - events.length, known: true }
}

/** The events that wait for one listener; when the queue is full its stream is ended. */
export interface ListenerQueue {
  readonly subscription: Subscription
  readonly waiting: Uint8Array[]
  /** Octets of everything that waits. */
  waitingBytes: number
}

/** The empty queue of a new listener. */
export function createQueue(subscription: Subscription): ListenerQueue {
  return { subscription, waiting: [], waitingBytes: 0 }
}

/** Offers an event to a queue; false on overflow, which ends it. While its listener reads, a burst may wait in it. */
export function offerEvent(queue: ListenerQueue, event: EncodedEvent, isReading: boolean): boolean {
  const { subscription, waiting } = queue
  if (!isSubscribed(subscription, event)) return true
  const octets = subscription.withIds ? event.numbered : event.plain
  const isLate = waiting.length >= queueCapacity && !isReading
  const isBehind = waiting.length >= backlog.events || queue.waitingBytes + octets.length > backlog.bytes
  if (isLate || (waiting.length > 0 && isBehind)) return false
  waiting.push(octets)
  queue.waitingBytes += octets.length
  return true
}

/** Takes the events that wait, in order and at most `bytes` octets of them, but at least one. */
export function takeWaiting(queue: ListenerQueue, bytes: number): readonly Uint8Array[] {
  let taken = 0
  let count = 0
  for (const { length } of queue.waiting) {
    if (count > 0 && taken + length > bytes) break
    taken += length
    count += 1
  }
  queue.waitingBytes -= taken
  return queue.waiting.splice(0, count)
}
