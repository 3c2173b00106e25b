/** Patterns in which every `*` matches zero or more characters. */

/** Tells whether a whole text fits one pattern. */
export type WildcardMatcher = (text: string) => boolean

/**
 * Prepares a pattern that holds at least one `*`.
 *
 * The first literal must be the text's beginning and the last its end, the two may not overlap, and those
 * between must follow one another, each found as far left as it can be. Time is linear in the text for each
 * literal; nothing backtracks.
 */
export function wildcardMatcher(pattern: string): WildcardMatcher {
  const literals = pattern.split('*')
  const first = literals[0] ?? ''
  const last = literals[literals.length - 1] ?? ''
  const middle = literals.slice(1, -1).filter((literal) => literal !== '')
  return (text) => {
    const end = text.length - last.length
    if (end < first.length || !text.startsWith(first) || !text.endsWith(last)) return false
    let position = first.length
    for (const literal of middle) {
      const found = text.indexOf(literal, position)
      if (found < 0) return false
      position = found + literal.length
    }
    return position <= end
  }
}
