/** Many wildcards of one level, found by how they begin and end. */

import { groupBy } from '../base/group-by.ts'
import type { Rule } from './rule-book.ts'
import { fitsMiddle, type Wildcard } from './wildcard.ts'
import { charge, type Work } from './work.ts'

/** Wildcards up to which looking at each costs less than looking them up. */
const fewWildcards = 12

interface Declared {
  readonly order: number
  readonly rule: Rule
  readonly wildcard: Wildcard
}

/** Items by their texts, and the lengths of those texts. */
interface TextIndex<T> {
  /** Distinct, ascending. */
  readonly lengths: readonly number[]
  readonly byText: ReadonlyMap<string, T>
}

/** Wildcards by their first literal, then by their last, each list in the order of declaration. */
export type WildcardIndex = TextIndex<TextIndex<readonly Declared[]>>

/** Prepares the wildcards of one level; null where they are few. */
export function indexWildcards(rules: readonly Rule[]): WildcardIndex | null {
  if (rules.length <= fewWildcards) return null
  const declared = rules.flatMap((rule, order) =>
    rule.wildcard === null ? [] : [{ order, rule, wildcard: rule.wildcard }],
  )
  return indexTexts(declared, 'first', (group) => indexTexts(group, 'last', (same) => same))
}

function indexTexts<T>(
  declared: readonly Declared[],
  by: 'first' | 'last',
  toItem: (group: readonly Declared[]) => T,
): TextIndex<T> {
  const groups = groupBy(declared, ({ wildcard }) => wildcard[by])
  const lengths = new Set([...groups.keys()].map(({ length }) => length))
  return {
    lengths: [...lengths].sort((one, other) => one - other),
    byText: new Map([...groups].map(([text, group]) => [text, toItem(group)])),
  }
}

/**
 * Finds the wildcard that was declared first of those that fit a text.
 *
 * Cost: a look-up for each length of a first literal and, where one is found, for each length of a last one; a search
 * for each wildcard with a middle that was declared before the one found.
 *
 * @throws RatelimitError request_too_large when it costs more than is left of the budget.
 */
export function findInIndex(index: WildcardIndex, text: string, work: Work): Rule | undefined {
  let best: Declared | undefined
  for (const first of index.lengths) {
    if (first > text.length) break
    charge(work, lookUpUnits(first))
    const ends = index.byText.get(text.slice(0, first))
    if (ends === undefined) continue
    for (const last of ends.lengths) {
      if (first + last > text.length) break
      charge(work, lookUpUnits(last))
      const found = firstFitting(ends.byText.get(text.slice(text.length - last)), text, best, work)
      best = found ?? best
    }
  }
  return best?.rule
}

/** The first that fits of wildcards with one beginning and end; undefined when `before` was declared earlier. */
function firstFitting(
  declared: readonly Declared[] | undefined,
  text: string,
  before: Declared | undefined,
  work: Work,
): Declared | undefined {
  if (declared === undefined) return undefined
  for (const one of declared) {
    if (before !== undefined && one.order > before.order) return undefined
    if (one.wildcard.middle.length === 0 || fitsMiddle(one.wildcard, text, work)) return one
  }
  return undefined
}

/** Units of a look-up: a part of the text is cut out and hashed. */
function lookUpUnits(length: number): number {
  return 8 + (length >> 2)
}
