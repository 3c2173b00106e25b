/** The shape of JSON, read from its text: a walk of the parsed value recurses once for each level. */

/** The most objects and lists of a text: the parser takes 100 ms for two million. */
const mostContainers = 500_000

/**
 * Finds out whether a text has too many lists and objects, nested in each other or all together. Text that is not JSON
 * gets either answer: the parser refuses it.
 *
 * @param levels - the deepest nesting that is not too deep; `[[1]]` has 2.
 * @returns for example `nests deeper than 100 levels`; undefined when it has few enough.
 */
export function findJsonExcess(text: string, levels: number): string | undefined {
  let depth = 0
  let containers = 0
  let isInString = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (isInString) {
      if (character === '\\') at += 1
      else if (character === '"') isInString = false
    } else if (character === '"') isInString = true
    else if (character === '{' || character === '[') {
      depth += 1
      containers += 1
      if (depth > levels) return `nests deeper than ${levels} levels`
      if (containers > mostContainers) return `has more than ${mostContainers} objects and lists`
    } else if (character === '}' || character === ']') depth -= 1
  }
  return undefined
}
