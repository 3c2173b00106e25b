/** The rules that are tried for the entries of a descriptor, level by level, and the one that is taken. */

import type { Level, Trial } from './contract/explanation.ts'
import type { Pattern } from './pattern/pattern.ts'
import { compositeOf, type Domain, type Rule, type Step, step } from './rule-book.ts'
import type { Entry } from './types.ts'
import { charge, type Work } from './work.ts'

/**
 * Lists the levels of a descriptor, down to the first entry without a rule.
 *
 * @throws RatelimitError request_too_large when the list would be too long.
 */
export function explainLevels(domain: Domain, entries: readonly Entry[], work: Work): readonly Level[] {
  const levels: Level[] = []
  let node: Domain | Rule = domain
  for (const entry of entries) {
    const taken = step(node, entry, work)
    levels.push({ entry, trials: listTrials(node, entry, taken, work) })
    if (taken === null || taken.rule.children.size === 0) break
    node = taken.rule
  }
  return levels
}

/** Units of work for a trial, to which the length of its pattern is added: the answer prints each trial. */
const trialUnits = 64

function listTrials(node: Domain | Rule, entry: Entry, taken: Step | null, work: Work): readonly Trial[] {
  const kind = taken?.kind ?? null
  const trials: Trial[] = [{ kind: 'exact', pattern: compositeOf(entry), isTaken: kind === 'exact' }]
  if (kind === 'exact') return trials
  const wildcards = node.wildcards.map((rule) => ({ rule, kind: 'wildcard' as const }))
  for (const { rule, kind: tried } of [...wildcards, ...listPatterns(node, entry.key)]) {
    charge(work, trialUnits + rule.composite.length)
    const isTaken = rule === taken?.rule && kind === tried
    trials.push({ kind: tried, pattern: rule.composite, isTaken })
    if (isTaken) return trials
  }
  trials.push({ kind: 'bare', pattern: entry.key, isTaken: kind === 'bare' })
  return trials
}

/** The rules of a key with patterns as they are tried: lists, networks, then expressions. */
function listPatterns({ children }: Domain | Rule, key: string) {
  const rules = [...children.values()].filter((rule) => rule.key === key)
  const ofKind = (kind: Pattern['kind']) =>
    rules.filter(({ pattern }) => pattern?.kind === kind).map((rule) => ({ rule, kind }))
  return [...ofKind('list'), ...ofKind('network'), ...ofKind('expression')]
}
