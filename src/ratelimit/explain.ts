/** Why a request would be answered as it would: every rule tried and taken, every counter as it is now. */

import { type Charge, chargesOf } from './charge.ts'
import { decide, decideRefund, unlimited, unlimitedByNothing } from './decide.ts'
import type { Hits } from './ports.ts'
import { respond } from './respond.ts'
import { type Domain, type Match, type Rule, type StepKind, step } from './rule-book.ts'
import { matchRequest, type World, wouldBeOver } from './service.ts'
import type { Descriptor, DescriptorStatus, Entry, RateLimitRequest, RateLimitResponse } from './types.ts'

/** One rule that an entry was compared with. */
export interface Trial {
  readonly kind: StepKind
  /** What was looked for: the joined entry, a wildcard's pattern, or the key alone. */
  readonly pattern: string
  readonly isTaken: boolean
}

/** One level of the tree: the entry and the rules it was compared with, in order. */
export interface Level {
  readonly entry: Entry
  readonly trials: readonly Trial[]
}

/** The counter of a descriptor before the request. */
export interface CounterNow {
  /** Key without its window. */
  readonly key: string
  readonly hits: number
  readonly secondsUntilReset: number
  /** What the request would add; negative for hits given back. */
  readonly addend: number
}

/** Why one descriptor would get its status. */
export interface DescriptorExplanation {
  readonly descriptor: Descriptor
  /** Empty for an override, which does not look at the tree. */
  readonly levels: readonly Level[]
  /** In words: what decided. */
  readonly outcome:
    | 'unknown domain'
    | 'no rule matches'
    | 'limit in the request'
    | 'limit of the last rule'
    | 'unlimited'
    | 'replaced'
  /** Statistics path of the limit; null without one. */
  readonly rule: string | null
  readonly counter: CounterNow | null
  readonly status: DescriptorStatus
}

/** A request explained, and the answer it would get now. */
export interface Explanation {
  readonly descriptors: readonly DescriptorExplanation[]
  readonly response: RateLimitResponse
}

/**
 * Explains a request, counting nothing: no hit, no statistic, no memory of what is over.
 *
 * @throws RatelimitError as `shouldRateLimit` does; a failing store is always `counter_unavailable`.
 */
export async function explain(
  request: RateLimitRequest,
  world: Pick<World, 'rules' | 'settings' | 'counters'>,
): Promise<Explanation> {
  const matches = matchRequest(request, world)
  const charges = chargesOf(matches, request)
  const counters = charges.length === 0 ? [] : await world.counters.peek(charges.map(({ hit }) => hit))
  const befores = valuesBefore(charges, counters)
  const statuses = statusesOf(matches, charges, befores, world)
  const domain = world.rules?.domains.get(request.domain)
  return {
    descriptors: matches.map((match, at) => {
      const index = charges.findIndex((charge) => charge.at === at)
      return {
        descriptor: match.descriptor,
        levels:
          domain === undefined || match.descriptor.limit !== undefined
            ? []
            : levelsOf(domain, match.descriptor.entries),
        outcome: outcomeOf(match, domain),
        rule: match.limit?.statKey ?? null,
        counter: counterNow(charges[index], befores[index]),
        status: statuses[at] ?? unlimitedByNothing,
      }
    }),
    response: respond(statuses, matches, world.settings).response,
  }
}

/** The same counter twice in one request: the second sees what the first would have added. */
function valuesBefore(charges: readonly Charge[], counters: readonly Hits[]): readonly Hits[] {
  const added = new Map<string, number>()
  return charges.map(({ hit }, index) => {
    const name = `${hit.unit} ${hit.key}`
    const read = counters[index] ?? { after: 0, secondsUntilReset: 1 }
    const before = Math.max(0, read.after + (added.get(name) ?? 0))
    added.set(name, (added.get(name) ?? 0) + (hit.isRefund === true ? -hit.addend : hit.addend))
    return { after: before, secondsUntilReset: read.secondsUntilReset }
  })
}

function statusesOf(
  matches: readonly Match[],
  charges: readonly Charge[],
  befores: readonly Hits[],
  { settings }: Pick<World, 'settings'>,
): readonly DescriptorStatus[] {
  const isOver = charges.map((charge, index) => wouldBeOver(charge, befores[index]))
  const sparesOthers = settings.stopIncrementWhenOverLimit && isOver.includes(true)
  const statuses = matches.map(({ limit }) =>
    limit !== null && limit.rateLimit === null ? unlimited : unlimitedByNothing,
  )
  for (const [index, charge] of charges.entries()) {
    const before = befores[index]
    if (before === undefined) continue
    const isSpared = sparesOthers && isOver[index] !== true
    statuses[charge.at] = statusAfter(
      charge,
      before,
      isSpared ? 0 : charge.hit.addend,
      settings.nearLimitRatio,
    )
  }
  return statuses
}

function statusAfter({ limit, rateLimit, hit }: Charge, before: Hits, addend: number, ratio: number) {
  const { after: hits, secondsUntilReset } = before
  return hit.isRefund === true
    ? decideRefund(limit, rateLimit, 0, { after: Math.max(0, hits - hit.addend), secondsUntilReset }).status
    : decide(limit, rateLimit, addend, { after: hits + addend, secondsUntilReset }, ratio).status
}

function levelsOf(domain: Domain, entries: readonly Entry[]): readonly Level[] {
  const levels: Level[] = []
  let node: Domain | Rule = domain
  for (const entry of entries) {
    const taken = step(node, entry)
    levels.push({ entry, trials: trialsOf(node, entry, taken?.kind ?? null, taken?.rule ?? null) })
    if (taken === null || taken.rule.children.size === 0) break
    node = taken.rule
  }
  return levels
}

function trialsOf(
  node: Domain | Rule,
  entry: Entry,
  kind: StepKind | null,
  rule: Rule | null,
): readonly Trial[] {
  const trials: Trial[] = [
    { kind: 'exact', pattern: `${entry.key}_${entry.value}`, isTaken: kind === 'exact' },
  ]
  if (kind === 'exact') return trials
  for (const wildcard of node.wildcards) {
    const isTaken = wildcard === rule && kind === 'wildcard'
    trials.push({ kind: 'wildcard', pattern: wildcard.composite, isTaken })
    if (isTaken) return trials
  }
  trials.push({ kind: 'bare', pattern: entry.key, isTaken: kind === 'bare' })
  return trials
}

function outcomeOf(match: Match, domain: Domain | undefined): DescriptorExplanation['outcome'] {
  if (domain === undefined) return 'unknown domain'
  if (match.isReplaced) return 'replaced'
  if (match.limit === null) return 'no rule matches'
  if (match.limit.rateLimit === null) return 'unlimited'
  return match.descriptor.limit === undefined ? 'limit of the last rule' : 'limit in the request'
}

function counterNow(charge: Charge | undefined, before: Hits | undefined): CounterNow | null {
  if (charge === undefined || before === undefined) return null
  const { key, addend, isRefund } = charge.hit
  return {
    key,
    hits: before.after,
    secondsUntilReset: before.secondsUntilReset,
    addend: isRefund === true ? -addend : addend,
  }
}
