/** The names nearest to one that does not exist. */

/**
 * Finds the names that were perhaps meant, nearest first: those that hold the name or are held by it, then
 * those few edits away.
 *
 * @param name - as it was asked for; beyond 64 characters only the beginning counts.
 */
export function nearestNames(name: string, names: readonly string[], count = 3): readonly string[] {
  const wanted = name.slice(0, 64).toLowerCase()
  const furthest = Math.max(3, Math.floor(wanted.length / 2))
  return names
    .map((candidate) => ({ candidate, distance: distanceOf(wanted, candidate) }))
    .filter(({ distance }) => distance <= furthest)
    .sort((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, count)
    .map(({ candidate }) => candidate)
}

function distanceOf(wanted: string, candidate: string): number {
  const isPart = wanted.length >= 4 && (candidate.includes(wanted) || wanted.includes(candidate))
  return isPart ? 1 : editDistance(wanted, candidate)
}

/** Levenshtein's distance: insertions, deletions and replacements of one character, one row at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (const [index, letter] of [...a].entries()) {
    const next = [index + 1]
    for (let column = 1; column <= b.length; column++) {
      const replaced = (row[column - 1] ?? 0) + (b[column - 1] === letter ? 0 : 1)
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
