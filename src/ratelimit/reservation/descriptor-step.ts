/** Reservations in the descriptors of a request: an entry at their end names the step and the id. */

import { reserveOf } from '../algorithm/algorithm.ts'
import type { Decided } from '../decision/decide-all.ts'
import type { DescriptorHit } from '../descriptor-hit.ts'
import { RatelimitError } from '../errors.ts'
import type { Match } from '../match.ts'
import type { Limit, RuleBook } from '../rule-book.ts'
import type { Descriptor, RateLimitRequest } from '../types.ts'
import type { ReservationStep, SettlementFault } from './reservations.ts'

/** Keys of the entry: it is of no rule, and of no counter's key. */
const stepKeys: Readonly<Record<string, ReservationStep['action']>> = {
  'sluice.reserve': 'reserve',
  'sluice.settle': 'settle',
}

/**
 * Reads the reservations of a request in a domain that has them: takes the entry off its descriptor. Other domains
 * match it as any other entry.
 */
export function readSteps(request: RateLimitRequest, rules: RuleBook | null): RateLimitRequest {
  if (rules?.domains.get(request.domain)?.reserves !== true) return request
  return { ...request, descriptors: request.descriptors.map(readStep) }
}

function readStep(descriptor: Descriptor): Descriptor {
  const { key = '', value = '' } = descriptor.entries.at(-1) ?? {}
  const action = Object.hasOwn(stepKeys, key) ? stepKeys[key] : undefined
  if (action === undefined || descriptor.isNegativeHits === true) return descriptor
  const entries = descriptor.entries.slice(0, -1)
  // A header that is empty names no reservation: the hits count as any others.
  return value === '' && action === 'reserve'
    ? { ...descriptor, entries }
    : { ...descriptor, entries, step: { action, id: value } }
}

/** Tells whether one of a descriptor's limits takes reservations. */
export function takesReservations({ rateLimit, further = [] }: Limit): boolean {
  const isReserving = rateLimit?.algorithm !== undefined && reserveOf(rateLimit.algorithm) !== undefined
  return isReserving || further.some(takesReservations)
}

/**
 * Checks that hits which are held have a holder.
 *
 * @throws RatelimitError malformed_request when a hit of a limit of concurrency names none.
 */
export function assertHolders(counted: readonly DescriptorHit[]): void {
  for (const { at, hit, rateLimit } of counted) {
    if (rateLimit.algorithm?.kind !== 'concurrency' || hit.addend === 0 || hit.step !== undefined) continue
    throw new RatelimitError(
      'malformed_request',
      `Cannot decide: descriptors[${at}] has a limit of concurrency and no holder, expected an entry sluice.reserve`,
    )
  }
}

/** Tells whether a request does nothing but settle reservations: then it asks for no decision. */
export function isSettlement({ descriptors }: RateLimitRequest): boolean {
  return descriptors.every(settles)
}

function settles({ step }: Descriptor): boolean {
  return step?.action === 'settle'
}

/** Every decision asks for the list, and few make another. */
const noneFailed: readonly FailedSettlement[] = []

/** A settlement that changed nothing, by the place of its descriptor. */
interface FailedSettlement {
  readonly at: number
  readonly id: string
  readonly fault: SettlementFault
}

/** Lists the settlements of a request that changed nothing; none where the failure policy has decided. */
export function listFailed(matches: readonly Match[], { decisions, degraded }: Decided): readonly FailedSettlement[] {
  if (degraded !== null || !matches.some(({ descriptor }) => settles(descriptor))) return noneFailed
  return matches.flatMap(({ descriptor: { step }, isUnreserved }, at) => {
    const outcome = decisions[at]?.settlement ?? 'not_found'
    const isDone = outcome === 'done' || (isUnreserved === true && outcome === 'not_found')
    return step?.action !== 'settle' || isDone ? [] : [{ at, id: step.id, fault: outcome }]
  })
}

const faultTexts: Readonly<Record<SettlementFault, string>> = {
  not_found:
    'is not known here, expected one of this domain and these entries that was admitted and has not been over for long',
  settled: 'was settled before, expected one settlement of each',
  ended: 'has ended unsettled, expected its settlement within the time_to_live of the rule',
}

/** Makes the error of a settlement that changed nothing. */
export function settlementError({ at, id, fault }: FailedSettlement): RatelimitError {
  const shown = JSON.stringify(id.slice(0, 40))
  return new RatelimitError(
    `reservation_${fault}`,
    `Cannot settle descriptors[${at}]: reservation ${shown} ${faultTexts[fault]}`,
  )
}
