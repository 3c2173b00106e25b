/** CounterStore over CounterObject: which object holds a key, and one call per object and request. */

import { groupBy } from '#base/group-by.ts'
import { unavailable } from '#ratelimit/errors.ts'
import { isOneObject, nameObject, type Placement } from '#ratelimit/placement.ts'
import { asLook, type CounterStore, type Hits } from '#ratelimit/ports.ts'
import { pause } from '../../base/pause.ts'
import { readCounted, type WireHit, writeHit } from '../counter/wire.ts'
import type { CounterObject } from '../counter.ts'
import { counterAt } from './counter-at.ts'
import { type Extension, withDeadline } from './deadline.ts'
import { noteFailed } from './failed-counters.ts'

type Namespace = DurableObjectNamespace<CounterObject>

/** Milliseconds before a call is sent a second time; a random part keeps callers from returning together. */
const retryDelayMs = { least: 10, spread: 40 }

/**
 * Makes the store of one request. Stubs are made per call: one kept from an earlier request would fail, because an
 * isolate's requests cannot use each other's connections.
 *
 * @param timeoutMs - the longest wait for one `hit` or `peek`, its second attempt included; after it the store has
 *   failed, and hits that were on their way may still be counted.
 * @param ctx - of the request; see `withDeadline`.
 */
export function counterStore(
  namespace: Namespace,
  placement: Placement,
  timeoutMs: number,
  ctx?: Extension,
): CounterStore {
  const apply = async (hits: readonly WireHit[]) => {
    try {
      return await withDeadline(applyAll(namespace, placement, hits), timeoutMs, ctx)
    } catch (error) {
      throw unavailable(error)
    }
  }
  return {
    hit: (hits) => apply(hits.map(writeHit)),
    peek: (hits) => apply(hits.map((hit) => writeHit(asLook(hit)))),
    isOneCall: (hits) => isOneObject(hits, placement),
  }
}

function applyAll(namespace: Namespace, placement: Placement, hits: readonly WireHit[]): Promise<readonly Hits[]> {
  const id = Math.floor(Math.random() * Number.MAX_SAFE_INTEGER)
  const [first] = hits
  if (first === undefined || hits.length > 1) return applyGroups(namespace, placement, id, hits)
  return callCounter(namespace, nameObject(first[0], placement), id, hits)
}

async function applyGroups(
  namespace: Namespace,
  placement: Placement,
  id: number,
  hits: readonly WireHit[],
): Promise<readonly Hits[]> {
  const groups = [...groupBy(hits.entries(), ([, [key]]) => nameObject(key, placement))]
  const [only] = groups
  if (only !== undefined && groups.length === 1) return callCounter(namespace, only[0], id, hits)
  const settled: PromiseSettledResult<CountedGroup>[] = []
  for (let at = 0; at < groups.length; at += callsAtOnce) {
    if (at > 0) await pause()
    const calls = groups.slice(at, at + callsAtOnce).map(async ([name, group]) => {
      const own = group.map(([, hit]) => hit)
      return { positions: group.map(([position]) => position), answer: await callCounter(namespace, name, id, own) }
    })
    // All are awaited, also after one failed: a call left behind when the answer leaves might never be counted.
    const wave = await Promise.allSettled(calls)
    settled.push(...wave)
    if (wave.some(({ status }) => status === 'rejected')) break
  }
  return inRequestOrder(settled, hits.length)
}

/** Objects of one request that are called at once: a new one opens a database, and hundreds would hold the thread. */
const callsAtOnce = 16

interface CountedGroup {
  readonly positions: readonly number[]
  readonly answer: readonly Hits[]
}

function inRequestOrder(settled: readonly PromiseSettledResult<CountedGroup>[], length: number): readonly Hits[] {
  const ordered: Hits[] = new Array(length)
  for (const result of settled) {
    if (result.status === 'rejected') throw result.reason
    const { positions, answer } = result.value
    for (const [at, hits] of answer.entries()) ordered[positions[at] ?? length] = hits
  }
  return ordered
}

/**
 * Calls one object, and once more when the platform says that trying again may help; a name that fails is noted.
 *
 * The second call must carry the same id, so that hits that did arrive the first time are not counted again. An
 * overloaded object is not asked again: another call would only add to its load.
 *
 * @param send - takes a new stub at each call, because one that has failed stays so.
 */
export async function callObject<T>(name: string, send: () => Promise<T>): Promise<T> {
  try {
    return await send()
  } catch (error) {
    return noteFailed(name, callAgain(send, error))
  }
}

async function callAgain<T>(send: () => Promise<T>, error: unknown): Promise<T> {
  if (!isWorthRetrying(error)) throw unavailable(error)
  await scheduler.wait(retryDelayMs.least + Math.random() * retryDelayMs.spread)
  try {
    return await send()
  } catch (error) {
    throw unavailable(error)
  }
}

/**
 * Calls one object with hits that all belong to it.
 *
 * @throws RatelimitError counter_unavailable when the object cannot be asked.
 */
export function callCounter(
  namespace: Namespace,
  name: string,
  id: number,
  hits: readonly WireHit[],
): Promise<readonly Hits[]> {
  return callObject(name, () => sendHits(namespace, name, id, hits))
}

function sendHits(namespace: Namespace, name: string, id: number, hits: readonly WireHit[]): Promise<readonly Hits[]> {
  const counter = counterAt(namespace, name)
  const [first] = hits
  if (first === undefined || hits.length > 1) return counter.hit(id, hits).then(readAnswers)
  return counter.hitOne(id, ...first).then(readOneAnswer)
}

function readOneAnswer(answer: string): readonly Hits[] {
  const space = answer.indexOf(' ')
  return [readCounted(Number(answer.slice(0, space)), Number(answer.slice(space + 1)))]
}

/** Reads the marks that the platform puts on the errors of a stub; an object that was reset may be called again. */
function isWorthRetrying(error: unknown): boolean {
  if (!(error instanceof Error) || ('overloaded' in error && error.overloaded === true)) return false
  return (
    ('retryable' in error && error.retryable === true) ||
    ('durableObjectReset' in error && error.durableObjectReset === true)
  )
}

function readAnswers(answer: readonly number[]): readonly Hits[] {
  const hits: Hits[] = []
  for (let at = 0; at < answer.length; at += 2) {
    hits.push(readCounted(answer[at] ?? 0, answer[at + 1] ?? 1))
  }
  return hits
}
