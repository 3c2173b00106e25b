/** A list cut where its JSON gets too long. */

/** The first items that have room as JSON, commas included; none behind one without room. */
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
