/** Sets of characters as ranges of code points, and the classes that have a letter. */

/** Code points, both ends included. */
export type Range = readonly [first: number, last: number]

const lastCodePoint = 0x10ffff

/** Every character, also a line break. */
export const anyCharacter: readonly Range[] = [[0, lastCodePoint]]

const digits: readonly Range[] = [[0x30, 0x39]]
const word: readonly Range[] = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
]
const space: readonly Range[] = [
  [0x09, 0x0a],
  [0x0c, 0x0d],
  [0x20, 0x20],
]

/** The classes of RE2 by the letter behind the backslash. */
export const classes: ReadonlyMap<string, readonly Range[]> = new Map([
  ['d', digits],
  ['D', complement(digits)],
  ['w', word],
  ['W', complement(word)],
  ['s', space],
  ['S', complement(space)],
])

/** Makes the range of one character. */
export function toRange(character: string): Range {
  const code = character.codePointAt(0) ?? 0
  return [code, code]
}

/** Lists every code point that is in none of the ranges. */
export function complement(ranges: readonly Range[]): readonly Range[] {
  const sorted = [...ranges].sort(([one], [other]) => one - other)
  const left: Range[] = []
  let next = 0
  for (const [first, last] of sorted) {
    if (first > next) left.push([next, first - 1])
    next = Math.max(next, last + 1)
  }
  return next > lastCodePoint ? left : [...left, [next, lastCodePoint]]
}
