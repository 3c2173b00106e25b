/** The records of one stream, for its listeners. */

import { changedRecords, formatEventId, parseEventId, parseFirstDate } from '#gateway/changes.ts'
import { areaOf, assertCanRead, assertCanReadAreas, readConstituents } from '#gateway/constituents.ts'
import { runOperation } from '#gateway/handle.ts'
import { toProblem } from '#gateway/outcome.ts'
import type { Scope } from '#gateway/tokens.ts'
import type { Client } from '#streamnet/index.ts'
import type { StreamRecord } from '#streamnet/operations/records.ts'
import type { EventListener } from '../../base/event-listener.ts'
import { encodeEvent, encodeGreeting, endWith, readHeight, type Subject } from './subject.ts'

/** The most records that the network gives at once. */
const maxRecords = 10_000

interface Stream {
  readonly streamId: string
  readonly dataProvider: string
}

/** A listener's part of the records. */
interface Subscription {
  /** Unix time in seconds of the first date that is sent. */
  readonly from: number
  /** True when the listener named that date, and will name it again when it comes back. */
  readonly hasAskedFrom: boolean
  /** The scopes of its token; undefined when the token may read the stream with any constituents. */
  readonly scopes: readonly Scope[] | undefined
}

/** A look at the stream: its records from a date on, as they were at a height. */
interface Look {
  readonly height: number
  readonly from: number
  readonly records: readonly StreamRecord[]
}

/**
 * Makes the subject of a stream's records.
 *
 * Heights are the ids of events: what is new after a height is the difference of two reads frozen at two heights,
 * so a listener that comes back needs nothing to have been kept for it.
 */
export function createRecordSubject(stream: Stream): Subject {
  const subscriptions = new Map<EventListener, Subscription>()
  let current: Look | undefined

  async function lookAgain(client: Client): Promise<boolean> {
    const before = current
    if (before === undefined) return false
    const height = await readHeight(client)
    if (height === before.height) return false
    const { after, records } = await readChanges(client, stream, before, height)
    // The earlier look still counts here: when the node does not answer, the next poll tries again.
    if (records.length > 0) await dismissUncovered(client)
    // A listener that came meanwhile has widened the window: the next look sees what this one did not.
    if (current !== before) return false
    current = after
    for (const [listener, subscription] of subscriptions) {
      const wanted = records.filter(({ date }) => date >= subscription.from)
      if (wanted.length > 0) listener.offer(recordsEvent(height, wanted, subscription))
    }
    return records.length > 0
  }

  /** Ends the streams of listeners whose tokens do not cover what the stream is computed from by now. */
  async function dismissUncovered(client: Client): Promise<void> {
    const bounded = [...subscriptions].filter(([, { scopes }]) => scopes !== undefined)
    if (bounded.length === 0) return
    const areas = await readConstituents(client, stream)
    for (const [listener, { scopes = [] }] of bounded) {
      try {
        assertCanReadAreas({ scopes }, areaOf(stream), areas)
      } catch (error) {
        endWith(listener, toProblem(error))
      }
    }
  }

  return {
    async open(client, query, enter) {
      const scopes = readScopes(query.get('scopes'))
      if (scopes !== undefined) await assertCanRead(client, { scopes }, stream)
      // Sends changes up to now to the present listeners first, so that the new one does not get them as changes.
      await lookAgain(client)
      const { from, hasAskedFrom, before, height } = await readOpening(client, stream, query)
      const subscription = { from, hasAskedFrom, scopes }
      let now = await readChanges(client, stream, before, height)
      // All listeners share one look, which begins at the earliest of their dates. Another request may replace it
      // during each await, so this goes on until it has stayed. From then to the subscription nothing is awaited.
      let tried: Look | undefined
      for (let look = current; look !== undefined && look !== tried && isApart(look, now.after); look = current) {
        const read = await readChanges(client, stream, before, look.height)
        if (look.height > now.after.height) now = read
        if (current !== look) continue
        // Where the network cuts the window off, it may begin later than the one that there is.
        if (read.after.from < look.from) current = read.after
        tried = current
      }
      const { after, records: missed } = now
      const about = `records of ${stream.dataProvider}/${stream.streamId} from ${from}`
      const listener = enter([encodeGreeting(about), recordsEvent(after.height, missed, subscription)])
      subscriptions.set(listener, subscription)
      current ??= after
      return listener
    },
    look: lookAgain,
    leave(listener) {
      subscriptions.delete(listener)
      if (subscriptions.size === 0) current = undefined
    },
  }
}

/** The beginning of a new listener: its records as they were when it left, and the height now. */
interface Opening extends Pick<Subscription, 'from' | 'hasAskedFrom'> {
  readonly before: Look
  readonly height: number
}

async function readOpening(client: Client, stream: Stream, query: URLSearchParams): Promise<Opening> {
  const height = await readHeight(client)
  const seen = parseEventId(query.get('last_event_id'))
  const since = Math.min(seen?.height ?? height, height)
  const asked = parseFirstDate(query.get('from'))
  const from = asked ?? seen?.from ?? (await latestDate(client, stream, since))
  let before: Look = { height: since, from, records: [] }
  for await (const page of readPages(client, stream, from, since)) before = page
  return { from, hasAskedFrom: asked !== undefined, before, height }
}

function readScopes(text: string | null): readonly Scope[] | undefined {
  // Written by the Worker from a grant.
  return text === null ? undefined : (JSON.parse(text) as readonly Scope[])
}

function recordsEvent(
  height: number,
  records: readonly StreamRecord[],
  { from, hasAskedFrom }: Pick<Subscription, 'from' | 'hasAskedFrom'>,
): Uint8Array {
  return encodeEvent('records', formatEventId({ height, ...(!hasAskedFrom && { from }) }), { height, records })
}

/** Tells whether a look has more than the first read of a listener, or begins later. */
function isApart(look: Look, first: Look): boolean {
  return look.height > first.height || look.from > first.from
}

async function latestDate(client: Client, stream: Stream, frozenAt: number): Promise<number> {
  return (await readRecords(client, { ...stream, frozenAt })).at(-1)?.date ?? 0
}

/** Reads a window again at another height: its last part, and the records of all parts that have changed. */
async function readChanges(client: Client, stream: Stream, before: Look, height: number) {
  let after = before
  const changed = new Map<number, StreamRecord>()
  if (height !== before.height) {
    for await (const page of readPages(client, stream, before.from, height)) {
      for (const record of changedRecords(before.records, page.records, before.from)) changed.set(record.date, record)
      after = page
    }
  }
  return { after, records: [...changed.values()] }
}

/** Reads a window; where the network cuts it off, the next part begins where the cut was. */
async function* readPages(client: Client, stream: Stream, from: number, height: number): AsyncGenerator<Look> {
  for (let dateFrom = from; ; ) {
    const records = await readRecords(client, { ...stream, dateFrom, frozenAt: height })
    yield { height, from: dateFrom, records }
    const last = records.at(-1)?.date ?? dateFrom
    if (records.length < maxRecords || last <= dateFrom) return
    dateFrom = last
  }
}

async function readRecords(
  client: Client,
  params: Stream & { readonly dateFrom?: number; readonly frozenAt: number },
): Promise<readonly StreamRecord[]> {
  // The result of get_records without use_cache.
  return (await runOperation(client, 'get_records', { ...params })) as readonly StreamRecord[]
}
