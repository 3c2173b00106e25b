/** Seeded random numbers: independent named streams whose whole state is four numbers that survive a snapshot. */

/** The state of a stream: four unsigned 32-bit words, never all zero. Plain JSON. */
export type RandomState = readonly [number, number, number, number]

/** One stream of random numbers; drawing advances it. */
export interface Random {
  /** A whole number of 32 bits, 0 to 4294967295. */
  readonly uint32: () => number
  /** A number in [0, 1) with 53 random bits. */
  readonly uniform: () => number
  /** A whole number from `low` to `high`, both included; every value is equally likely. */
  readonly integer: (low: number, high: number) => number
  /** A sample of the normal distribution; draws two uniforms, keeps no spare. */
  readonly normal: (mean?: number, sigma?: number) => number
  /** The state now; `resumeRandom` continues from it with the same numbers. */
  readonly state: () => RandomState
}

/**
 * Starts the stream `name` of `seed`.
 *
 * The same seed and name give the same numbers for ever; another name gives unrelated numbers, so adding a
 * stream never shifts the numbers of the others.
 *
 * @param seed - Any number; all of its bits count.
 */
export function createRandom(seed: number, name: string): Random {
  let hash = 0x811c9dc5
  // Every code unit goes through a full mix, so names that differ in one character end far apart.
  for (const text of [String(seed), '\u0000', name]) {
    for (let at = 0; at < text.length; at++) hash = mix(hash ^ text.charCodeAt(at))
  }
  const words = [1, 2, 3, 4].map((step) => mix(hash + Math.imul(step, 0x9e3779b9)) >>> 0)
  return resumeRandom([words[0] ?? 0, words[1] ?? 0, words[2] ?? 0, (words[3] ?? 0) | 1])
}

/** Continues a stream from a state, by xoshiro128** 1.1 of Blackman and Vigna (period 2^128 - 1). */
export function resumeRandom(state: RandomState): Random {
  let [a, b, c, d] = state
  const uint32 = (): number => {
    const result = Math.imul(rotate(Math.imul(b, 5), 7), 9) >>> 0
    const shifted = b << 9
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= shifted
    d = rotate(d, 11)
    return result
  }
  const uniform = (): number => ((uint32() >>> 5) * 0x4000000 + (uint32() >>> 6)) / 0x20000000000000
  return {
    uint32,
    uniform,
    integer: (low, high) => low + Math.floor(uniform() * (high - low + 1)),
    normal: (mean = 0, sigma = 1) => {
      // Box and Muller; 1 - u keeps the logarithm away from zero.
      const radius = Math.sqrt(-2 * Math.log(1 - uniform()))
      return mean + sigma * radius * Math.cos(2 * Math.PI * uniform())
    },
    state: () => [a >>> 0, b >>> 0, c >>> 0, d >>> 0],
  }
}

function rotate(word: number, by: number): number {
  return (word << by) | (word >>> (32 - by))
}

/** The finaliser of MurmurHash3: every input bit reaches every output bit. */
function mix(word: number): number {
  let mixed = word
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}
