/** Keccak-256 as Ethereum has it: the sponge of FIPS 202 with the padding of Keccak's first submission. */

/** Bytes of a block. */
const rate = 136

/** Steps of rho and pi (FIPS 202 sections 3.2.2 and 3.2.3): the lane that is filled, and by how many bits it is turned. */
const moves: (readonly [lane: number, bits: number])[] = []
/** Constants of iota (section 3.2.5) by round: their low and their high half. */
const constants: (readonly [low: number, high: number])[] = []

for (let round = 0, x = 1, y = 0, register = 1; round < 24; round++) {
  ;[x, y] = [y, (2 * x + 3 * y) % 5]
  moves.push([5 * y + x, (((round + 1) * (round + 2)) / 2) % 64])
  const halves: [number, number] = [0, 0]
  for (const bit of [0, 1, 3, 7, 15, 31, 63]) {
    register = ((register << 1) ^ ((register >> 7) * 0x71)) % 256
    if (register & 2) halves[bit < 32 ? 0 : 1] |= 1 << bit
  }
  constants.push(halves)
}

/** Hashes bytes to 32 bytes. */
export function keccak256(message: Uint8Array): Uint8Array {
  const padded = new Uint8Array((Math.floor(message.length / rate) + 1) * rate)
  padded.set(message)
  padded[message.length] = 1
  padded[padded.length - 1] = (padded.at(-1) ?? 0) | 128
  const words = new DataView(padded.buffer)
  // 25 lanes of 64 bits, each as its low and its high half.
  const state = new Int32Array(50)
  for (let at = 0; at < padded.length; at += 4) {
    const half = (at % rate) / 4
    state[half] = (state[half] ?? 0) ^ words.getInt32(at, true)
    if (half === 33) permute(state)
  }
  const digest = new DataView(new ArrayBuffer(32))
  for (let half = 0; half < 8; half++) digest.setInt32(half * 4, state[half] ?? 0, true)
  return new Uint8Array(digest.buffer)
}

/** The 24 rounds of Keccak-f (section 3.3). */
function permute(state: Int32Array): void {
  const get = (half: number) => state[half] ?? 0
  const columns = new Int32Array(10)
  const column = (half: number) => columns[half < 10 ? half : half - 10] ?? 0
  for (const [low, high] of constants) {
    // Theta.
    for (let half = 0; half < 10; half++) {
      columns[half] = get(half) ^ get(half + 10) ^ get(half + 20) ^ get(half + 30) ^ get(half + 40)
    }
    for (let half = 0; half < 10; half++) {
      const parity = column(half + 8) ^ turn(column(half + 2), column((half ^ 1) + 2), 1)
      for (let lane = half; lane < 50; lane += 10) state[lane] = get(lane) ^ parity
    }
    // Rho and pi.
    let [lowLane, highLane] = [get(2), get(3)]
    for (const [lane, bits] of moves) {
      const [low, high] = [turn(lowLane, highLane, bits), turn(highLane, lowLane, bits)]
      lowLane = get(2 * lane)
      highLane = get(2 * lane + 1)
      state[2 * lane] = low
      state[2 * lane + 1] = high
    }
    // Chi.
    for (let row = 0; row < 50; row += 10) {
      for (let half = 0; half < 10; half++) columns[half] = get(row + half)
      for (let half = 0; half < 10; half++) {
        state[row + half] = column(half) ^ (~column(half + 2) & column(half + 4))
      }
    }
    // Iota.
    state[0] = get(0) ^ low
    state[1] = get(1) ^ high
  }
}

/** One half of a lane that is turned to the left by 1 to 63 bits but 32; `half` is where that half was, `other` the other. */
function turn(half: number, other: number, bits: number): number {
  return bits < 32 ? (half << bits) | (other >>> (32 - bits)) : (other << (bits - 32)) | (half >>> (64 - bits))
}
