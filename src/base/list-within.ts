/** A list cut where its JSON gets too long. */

/**
 * The first items that have room; an item after the first without room is not looked at.
 *
 * @param mostCharacters - of all items as JSON, each with the comma after it.
 */
export function listWithin<Item>(items: Iterable<Item>, mostCharacters: number): readonly Item[] {
  const kept: Item[] = []
  let characters = 0
  for (const item of items) {
    characters += JSON.stringify(item).length + 1
    if (characters > mostCharacters) break
    kept.push(item)
  }
  return kept
}
