/** Further limits of a descriptor, checked: each has a name and a counter that no other limit of the descriptor has. */

import { type Algorithm, lifeOf, unitThatLasts } from '../algorithm/algorithm.ts'
import { algorithmText } from '../algorithm/algorithm-key.ts'
import type { Limit } from '../rule-book.ts'
import { nameBelow } from '../statistics/runtime-names.ts'
import type { RateLimit, Unit } from '../types.ts'
import { unitSeconds } from '../window.ts'
import type { RateLimitBlock, SluiceBlock } from './grammar.ts'
import type { LimitPlace } from './limit.ts'

/** Most further limits of one descriptor; each costs every request one more counter. */
const mostFurther = 8

/** Compiles a descriptor's further limits, which have the options of its first one; undefined for none. */
export function compileFurther(
  block: SluiceBlock | null,
  first: Limit,
  compileOne: (block: RateLimitBlock, place: LimitPlace) => RateLimit | null,
  { statKey, path, report }: LimitPlace,
): readonly Limit[] | undefined {
  const blocks = block?.limits ?? []
  if (blocks.length === 0 || first.rateLimit === null) return undefined
  const at = `${path}.sluice.limits`
  if (blocks.length > mostFurther) {
    const hint = `expected at most ${mostFurther}`
    report({ path: at, line: block?.line ?? 1, message: `a limit has ${blocks.length} further ones`, hint })
  }
  const taken = { names: new Set([first.name]), counters: new Set([counterText(withAlgorithm(first.rateLimit))]) }
  const limits: Limit[] = []
  for (const [index, one] of blocks.slice(0, mostFurther).entries()) {
    const place = { statKey, path: `${at}[${index}]`, report }
    const compiled = compileOne(one, place)
    if (compiled === null) continue
    const rateLimit = withAlgorithm(compiled)
    const counter = counterText(rateLimit)
    checkFurther(one, counter, taken, place)
    taken.names.add(one.name)
    taken.counters.add(counter)
    const { name, requestsPerUnit } = one
    limits.push(nameBelow({ ...first, rateLimit, requestsPerUnit, name, replaces: [] }, statKey))
  }
  return limits
}

/** Names and counters of the limits before. */
interface Taken {
  readonly names: ReadonlySet<string>
  readonly counters: ReadonlySet<string>
}

function checkFurther(
  { name, sluice, line }: RateLimitBlock,
  counter: string,
  taken: Taken,
  { path, report }: LimitPlace,
): void {
  const wrong = (field: string, message: string, hint: string) =>
    report({ path: `${path}${field}`, line, message, hint })
  if (sluice !== null && sluice.limits.length > 0) {
    wrong('.sluice.limits', 'a further limit has further ones', 'list all of them in the first')
  }
  if (name === '') wrong('.name', 'a further limit has no name', 'its statistics and its policy need one')
  else if (taken.names.has(name)) wrong('.name', `a further limit has the name '${name}' again`, 'rename one')
  else if (taken.counters.has(counter)) {
    wrong('', 'two limits of a descriptor count the same windows', 'keep the lower one, or change its unit')
  }
}

/** Gives a limit its algorithm explicitly, so that limits of different units never share a stored window. */
function withAlgorithm(rateLimit: RateLimit): RateLimit {
  return { ...rateLimit, algorithm: rateLimit.algorithm ?? fixedWindows(rateLimit.unit) }
}

function fixedWindows(unit: Unit): Algorithm {
  return { kind: 'fixed', seconds: unitSeconds[unit], charge: 'all' }
}

/** Names the counter of a limit beside others of its descriptor. */
export function counterText(rateLimit: RateLimit): string {
  const { unit, algorithm } = rateLimit
  return algorithm === undefined ? unit : `${algorithmText(algorithm)} in ${unitThatLasts(lifeOf(rateLimit))}`
}
