/** Messages of every length around the borders of blocks, for hashes that are compared with those of noble. */

import { randomOf } from '../../support/random.ts'

/** Messages of 0 to `longest` random bytes. */
export function messagesUpTo(longest: number): readonly Uint8Array[] {
  const random = randomOf(longest)
  return Array.from({ length: longest + 1 }, (_, length) => Uint8Array.from({ length }, () => random() * 256))
}
