/** Keys of counters: prefix, domain and entries as one text, without the window and with it. */

import type { Entry, Unit } from './types.ts'
import { windowStart } from './window.ts'

/**
 * Joins prefix, domain and entries to the key of a counter: `<prefix><domain>_`, then `<key>_<value>_` for every
 * entry. Nothing is escaped, as in the reference, so that a key can be read and found in either store.
 *
 * @param shared - by position, the pattern that replaces a runtime value; null where the value counts.
 */
export function counterKey(
  prefix: string,
  domain: string,
  entries: readonly Entry[],
  shared: readonly (string | null)[] | null = null,
): string {
  let key = `${prefix}${domain}_`
  for (let at = 0; at < entries.length; at++) {
    const entry = entries[at]
    if (entry === undefined) break
    key += `${entry.key}_${shared?.[at] ?? entry.value}_`
  }
  return key
}

/** Adds the window at a time in Unix seconds to a key, as Redis, memcached and a dump know the counter. */
export function stampedKey(key: string, unit: Unit, now: number): string {
  return `${key}${windowStart(unit, now)}`
}
