/** How deep JSON nests, read from its text, because a walk of the parsed value recurses once for each level. */

/**
 * Tells whether lists and objects nest deeper than a bound. Text that is not JSON gets some answer: it is for the
 * parser to refuse.
 *
 * @param levels - the deepest nesting that is not too deep; `[[1]]` has 2.
 */
export function isNestedDeeper(text: string, levels: number): boolean {
  let depth = 0
  let isInString = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (isInString) {
      if (character === '\\') at += 1
      else if (character === '"') isInString = false
    } else if (character === '"') isInString = true
    else if (character === '{' || character === '[') {
      depth += 1
      if (depth > levels) return true
    } else if (character === '}' || character === ']') depth -= 1
  }
  return false
}
