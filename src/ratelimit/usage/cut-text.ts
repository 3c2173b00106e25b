/** Texts of callers on their way into what is remembered: cut to a bound, and still told apart. */

import { hashOf } from '../placement.ts'

/**
 * Cuts a text to a bound. What is cut off is replaced by its hash, so that two long texts with one beginning stay two.
 *
 * @param most - UTF-16 code units, at least 20.
 */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text
  const name = `…#${hashOf(text).toString(16).padStart(8, '0')}`
  // Half of a pair of surrogates would be another text once it is stored.
  const kept = text.slice(0, most - name.length).replace(/[\ud800-\udbff]$/, '')
  return kept + name
}
