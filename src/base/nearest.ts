/** The known names nearest to one that is not known, for errors that say what was perhaps meant. */

/** Beyond this many UTF-16 code units only the beginning of a name is compared, which bounds the work. */
const comparedLength = 64

/** Distance of a name to one that contains it: further than one edit, nearer than two. */
const partDistance = 1.5

/**
 * Finds the one known name that was most likely meant.
 *
 * Case and the separators `-`, `_`, `.` and space do not count. A name is near when it is a third of its length
 * or less away (one edit at least, four at most), where an edit inserts, deletes or replaces one character or
 * swaps two neighbours; or when one name holds the other and is not twice as long.
 *
 * @param name - as it was written; beyond 64 characters only the beginning counts.
 * @param known - the names that exist; among equally near ones the first is taken.
 * @param furthest - another bound on the number of edits.
 * @returns undefined when nothing is near enough to be worth naming.
 * @example
 * nearest('rate_limt', ['rate_limit', 'shadow_mode']) // 'rate_limit'
 */
export function nearest(name: string, known: Iterable<string>, furthest = usualDistance(name)): string | undefined {
  return rank(fold(name), known, furthest)[0]
}

function usualDistance(name: string): number {
  return Math.min(4, Math.max(1, Math.floor(fold(name).length / 3)))
}

/** Ends the message of an unknown name: with the one that was perhaps meant, or else with what is expected. */
export function suggest(
  name: string,
  known: readonly string[],
  otherwise = `expected one of ${known.join(', ')}`,
): string {
  const near = nearest(name, known)
  return near === undefined ? otherwise : `did you mean "${near}"?`
}

/** Finds the names perhaps meant, nearest first, with a wider net than `nearest()`: half of a name may differ. */
export function nearestNames(name: string, known: Iterable<string>, count = 3): readonly string[] {
  const wanted = fold(name)
  return rank(wanted, known, Math.max(3, Math.floor(wanted.length / 2))).slice(0, count)
}

function rank(wanted: string, known: Iterable<string>, furthest: number): readonly string[] {
  return (
    [...known]
      .map((candidate) => ({ candidate, distance: boundedDistance(wanted, fold(candidate), furthest) }))
      // Where every character differs, nothing of the name is left.
      .filter(({ distance }) => distance <= furthest && distance < wanted.length)
      .sort((a, b) => a.distance - b.distance)
      .map(({ candidate }) => candidate)
  )
}

function fold(name: string): string {
  return name
    .slice(0, comparedLength)
    .toLowerCase()
    .replace(/[-_.\s]/g, '')
}

/** The distance of two folded names; of names further apart than `furthest` any number beyond it. */
function boundedDistance(wanted: string, candidate: string, furthest: number): number {
  if (wanted === candidate) return 0
  const most = isPart(wanted, candidate) ? partDistance : Number.POSITIVE_INFINITY
  // Each edit changes the length by one at most, so most names are too far without a table.
  if (Math.abs(wanted.length - candidate.length) > furthest) return most
  const distance = editDistance(wanted, candidate)
  // Of two names one edit away, the one that goes on as the wanted one begins: "of" is "off" rather than "on".
  if (distance === 1 && candidate.startsWith(wanted)) return 0.5
  return Math.min(distance, most)
}

function isPart(wanted: string, candidate: string): boolean {
  const [short, long] = wanted.length < candidate.length ? [wanted, candidate] : [candidate, wanted]
  return short.length >= 4 && short.length * 2 >= long.length && long.includes(short)
}

/** Damerau's and Levenshtein's distance without double edits (optimal string alignment), a row at a time. */
function editDistance(a: string, b: string): number {
  let before: readonly number[] = []
  let row: readonly number[] = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let index = 1; index <= a.length; index++) {
    const next = [index]
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[index - 1] === b[column - 1]
      const isSwapped = a[index - 1] === b[column - 2] && a[index - 2] === b[column - 1]
      next.push(
        Math.min(
          (row[column - 1] ?? 0) + (isSame ? 0 : 1),
          (row[column] ?? 0) + 1,
          (next[column - 1] ?? 0) + 1,
          isSwapped ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
    before = row
    row = next
  }
  return row.at(-1) ?? 0
}
