/** Keys that come most, and those that are refused most: counted in a map first, then in two sketches of a fixed size. */

import type { KeyCount, KeyLabel } from '../contract/usage.ts'
import type { Match } from '../match.ts'
import { cutText, usageBounds } from './bounds.ts'
import { createSketch } from './space-saving.ts'
import type { Tally, UsageReport } from './types.ts'

/** The keys since the last report: those that are not in the sketches yet, by key, and the sketches. */
type KeyCounts = ReturnType<typeof noKeys>

interface WaitingKey {
  readonly match: Match
  readonly domain: string
  used: number
  refused: number
}

type LabelledSketch = ReturnType<typeof emptySketch>

/** Starts with nothing. */
export function noKeys() {
  return { waiting: new Map<string, WaitingKey>(), used: emptySketch(), refused: emptySketch() }
}

/** Counts the key of a descriptor. */
export function countKey(keys: KeyCounts, match: Match, domain: string, outcome: keyof Tally): void {
  const known = keys.waiting.get(match.key)
  if (known !== undefined) {
    known.used += 1
    if (outcome === 'refused') known.refused += 1
    return
  }
  if (keys.waiting.size >= 4 * usageBounds.keys) drain(keys)
  keys.waiting.set(match.key, { match, domain, used: 1, refused: outcome === 'refused' ? 1 : 0 })
}

/** Reports the keys, those that came most first. */
export function reportKeys(keys: KeyCounts): Pick<UsageReport, 'used' | 'refused'> {
  drain(keys)
  return { used: listCounts(keys.used), refused: listCounts(keys.refused) }
}

function emptySketch() {
  return { sketch: createSketch(usageBounds.keys), labels: new Map<string, KeyLabel>() }
}

/** Moves keys into the sketches, many at a time: a map costs less for each decision than a sketch. */
function drain({ waiting, used: usedSketch, refused: refusedSketch }: KeyCounts): void {
  for (const [whole, { match, domain, used, refused }] of waiting) {
    const key = cutText(whole, usageBounds.keyText)
    const label = makeLabel(match, domain)
    addTo(usedSketch, key, used, label)
    addTo(refusedSketch, key, refused, label)
  }
  waiting.clear()
}

/** Makes the label of a key, within bounds: values may have thousands of characters, and all labels of an hour are one row. */
function makeLabel({ limit, descriptor: { entries } }: Match, domain: string): KeyLabel {
  const cut = (text: string) => cutText(text, usageBounds.entryText)
  return {
    domain,
    rule: cutText(limit?.statKey ?? '', usageBounds.ruleText),
    entries: entries.slice(0, usageBounds.keyEntries).map(({ key, value }) => ({ key: cut(key), value: cut(value) })),
  }
}

function addTo({ sketch, labels }: LabelledSketch, key: string, count: number, label: KeyLabel): void {
  if (count === 0) return
  const evicted = sketch.add(key, count)
  if (evicted !== null) labels.delete(evicted)
  labels.set(key, label)
}

function listCounts({ sketch, labels }: LabelledSketch): readonly KeyCount[] {
  return sketch.entries().flatMap((entry) => {
    const label = labels.get(entry.key)
    return label === undefined ? [] : [{ ...entry, label }]
  })
}
