/** Keys as callers bring them: evenly, or with a skew in which few of them come most often. */

import type { Random } from '#base/random.ts'

/** Draws the number of a key: 0 is the most frequent. */
export type KeyDraw = () => number

/** Every one of so many keys is as likely as another. */
export function drawEvenly(random: Random, keys: number): KeyDraw {
  return () => Math.floor(random.uniform() * keys)
}

/** Zipf: the key of rank n comes as often as 1 / n^exponent. */
export function drawSkewed(random: Random, keys: number, exponent: number): KeyDraw {
  const ends: number[] = []
  let sum = 0
  for (let rank = 1; rank <= keys; rank++) {
    sum += rank ** -exponent
    ends.push(sum)
  }
  return () => {
    const chance = random.uniform() * sum
    let [low, high] = [0, ends.length - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((ends[middle] ?? 0) < chance) low = middle + 1
      else high = middle
    }
    return low
  }
}
