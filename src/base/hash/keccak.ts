/** Keccak-256 as it was before FIPS 202, the hash of Ethereum. A lane of 64 bits is two words, the lower one first. */

const rate = 136
const laneCount = 25
const roundCount = 24

/** The steps of rho and pi from the second lane on: the first word of the lane that one goes to, and its turn in bits. */
const [lanes, turns] = makeMoves()
/** The constants of iota: two words for each round. */
const constants = makeConstants()

function makeMoves(): readonly [Uint8Array, Uint8Array] {
  const [words, bits] = [new Uint8Array(laneCount - 1), new Uint8Array(laneCount - 1)]
  let [x, y] = [1, 0]
  for (let step = 0; step < words.length; step++) {
    bits[step] = (((step + 1) * (step + 2)) / 2) % 64
    const next = (2 * x + 3 * y) % 5
    x = y
    y = next
    words[step] = 2 * (x + 5 * y)
  }
  return [words, bits]
}

function makeConstants(): Int32Array {
  const words = new Int32Array(2 * roundCount)
  let register = 1
  for (let step = 0; step < 7 * roundCount; step++) {
    register = ((register << 1) ^ ((register >> 7) * 0x71)) % 256
    // Bits 0, 1, 3, 7, 15, 31 and 63 of a lane.
    const bit = step % 7
    const word = 2 * Math.floor(step / 7) + (bit === 6 ? 1 : 0)
    if (register & 2) words[word] = (words[word] ?? 0) ^ (1 << (2 ** bit - 1))
  }
  return words
}

/** One word of a lane that turns to the left by 1 to 63 bits but 32, of which shifts count the lowest five. */
function turn(near: number, far: number, bits: number): number {
  return (near << bits) | (far >>> -bits)
}

/** The permutation of FIPS 202, section 3.3. */
function permute(state: Int32Array, columns: Int32Array): void {
  for (let round = 0; round < roundCount; round++) {
    for (let at = 0; at < 10; at++) {
      let sum = 0
      for (let row = at; row < 50; row += 10) sum ^= state[row] ?? 0
      columns[at] = sum
    }
    for (let lane = 0; lane < 10; lane += 2) {
      const before = (lane + 8) % 10
      const after = (lane + 2) % 10
      const low = columns[after] ?? 0
      const high = columns[after + 1] ?? 0
      const changeLow = (columns[before] ?? 0) ^ turn(low, high, 1)
      const changeHigh = (columns[before + 1] ?? 0) ^ turn(high, low, 1)
      for (let at = lane; at < 50; at += 10) {
        state[at] = (state[at] ?? 0) ^ changeLow
        state[at + 1] = (state[at + 1] ?? 0) ^ changeHigh
      }
    }
    let near = state[2] ?? 0
    let far = state[3] ?? 0
    for (let step = 0; step < laneCount - 1; step++) {
      const lane = lanes[step] ?? 0
      const bits = turns[step] ?? 0
      const low = bits < 32 ? near : far
      const high = bits < 32 ? far : near
      near = state[lane] ?? 0
      far = state[lane + 1] ?? 0
      state[lane] = turn(low, high, bits)
      state[lane + 1] = turn(high, low, bits)
    }
    for (let row = 0; row < 50; row += 10) {
      for (let at = 0; at < 14; at++) columns[at] = state[row + (at < 10 ? at : at - 10)] ?? 0
      for (let at = 0; at < 10; at++) {
        state[row + at] = (columns[at] ?? 0) ^ (~(columns[at + 2] ?? 0) & (columns[at + 4] ?? 0))
      }
    }
    state[0] = (state[0] ?? 0) ^ (constants[round * 2] ?? 0)
    state[1] = (state[1] ?? 0) ^ (constants[round * 2 + 1] ?? 0)
  }
}

/** Hashes a message; the digest has 32 bytes. */
export function keccak256(message: Uint8Array): Uint8Array<ArrayBuffer> {
  const padded = new Uint8Array((Math.floor(message.length / rate) + 1) * rate)
  padded.set(message)
  padded[message.length] = 1
  padded[padded.length - 1] = (padded.at(-1) ?? 0) | 0x80
  const view = new DataView(padded.buffer)
  const [state, columns] = [new Int32Array(2 * laneCount), new Int32Array(14)]
  for (let offset = 0; offset < padded.length; offset += rate) {
    for (let at = 0; at < rate / 4; at++) state[at] = (state[at] ?? 0) ^ view.getInt32(offset + at * 4, true)
    permute(state, columns)
  }
  const digest = new DataView(new ArrayBuffer(32))
  for (let at = 0; at < 8; at++) digest.setInt32(at * 4, state[at] ?? 0, true)
  return new Uint8Array(digest.buffer)
}
