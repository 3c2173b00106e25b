/** Hits of several requests that arrived together: one call for each object, whichever requests its keys are of. */

import { RatelimitError, unavailable } from '#ratelimit/errors.ts'
import { nameObject } from '#ratelimit/placement.ts'
import type { CounterHit, Hits } from '#ratelimit/ports.ts'
import type { Settings } from '#ratelimit/settings.ts'
import { pause } from '../../base/pause.ts'
import { type WireHit, writeHit } from '../counter/wire.ts'
import type { CounterObject } from '../counter.ts'
import { callCounter } from './counter-store.ts'

/** The counters of a deployment. */
export interface Counters {
  readonly namespace: DurableObjectNamespace<CounterObject>
  readonly placement: Settings['placement']
}

/** The hits of one request, and what becomes of them. */
export interface JointRequest {
  readonly hits: readonly CounterHit[]
  readonly answer: (hits: readonly Hits[]) => void
  readonly fail: (error: RatelimitError) => void
}

interface Group {
  readonly wires: WireHit[]
  readonly owners: { readonly request: Waiting; readonly at: number }[]
}

interface Waiting extends JointRequest {
  readonly answers: Hits[]
  missing: number
  isFailed: boolean
}

/** Objects that are called at once: a new one opens a database, and hundreds would hold the thread. */
const callsAtOnce = 64

/** Counts hits, on one key in the order of the requests; an object that fails fails only those with hits in it. */
export async function countJointly(
  requests: readonly JointRequest[],
  { namespace, placement }: Counters,
): Promise<void> {
  const groups = [...groupByObject(requests, placement)]
  for (let from = 0; from < groups.length; from += callsAtOnce) {
    if (from > 0) await pause()
    await Promise.all(groups.slice(from, from + callsAtOnce).map(([name, group]) => countGroup(namespace, name, group)))
  }
}

function groupByObject(
  requests: readonly JointRequest[],
  placement: Settings['placement'],
): ReadonlyMap<string, Group> {
  const groups = new Map<string, Group>()
  for (const one of requests) {
    const request: Waiting = { ...one, answers: new Array(one.hits.length), missing: one.hits.length, isFailed: false }
    if (request.missing === 0) request.answer([])
    for (const [at, hit] of one.hits.entries()) {
      const name = nameObject(hit.key, placement)
      const group = groups.get(name) ?? { wires: [], owners: [] }
      groups.set(name, group)
      group.wires.push(writeHit(hit))
      group.owners.push({ request, at })
    }
  }
  return groups
}

async function countGroup(namespace: Counters['namespace'], name: string, { wires, owners }: Group): Promise<void> {
  const id = Math.floor(Math.random() * Number.MAX_SAFE_INTEGER)
  try {
    const counted = await callCounter(namespace, name, id, wires)
    for (const [index, owner] of owners.entries()) take(owner, counted[index])
  } catch (error) {
    for (const { request } of owners) failOnce(request, unavailable(error))
  }
}

function take({ request, at }: Group['owners'][number], counted: Hits | undefined): void {
  if (counted === undefined) {
    failOnce(
      request,
      new RatelimitError('counter_unavailable', 'Cannot count: an object answered fewer counters than asked'),
    )
    return
  }
  request.answers[at] = counted
  request.missing -= 1
  if (request.missing === 0) request.answer(request.answers)
}

function failOnce(request: Waiting, error: RatelimitError): void {
  if (request.isFailed) return
  request.isFailed = true
  request.fail(error)
}
