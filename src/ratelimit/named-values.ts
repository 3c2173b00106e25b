/** The value of a setting that is a default and its exceptions, such as `off,shop=on`. */

/**
 * Reads items separated by commas: a value by itself is the default, `name=value` an exception.
 *
 * @param parseValue - null for a text that is not a value.
 * @returns values by name, the default under the empty one; null when a value is not one, a name is empty, or a name
 *   or the default is given twice.
 */
export function parseNamedValues<T>(text: string, parseValue: (text: string) => T | null): Map<string, T> | null {
  const byName = new Map<string, T>()
  for (const item of text.split(',')) {
    const at = item.lastIndexOf('=')
    const name = item.slice(0, Math.max(0, at)).trim()
    const value = parseValue(item.slice(at + 1).trim())
    if (value === null || (at >= 0 && name === '') || byName.has(name)) return null
    byName.set(name, value)
  }
  return byName
}
