/** Room for many small frames in few large buffers: a separate buffer costs more than the octets of a small frame. */

/** Octets of one buffer; it lives as long as the youngest frame in it is kept somewhere. */
const slabBytes = 64 * 1024

let slab = new Uint8Array(slabBytes)
let used = 0

/** Gives zeroed room for a frame; a large frame gets a separate buffer. */
export function takeRoom(length: number): Uint8Array {
  if (length > slabBytes / 8) return new Uint8Array(length)
  if (used + length > slabBytes) {
    slab = new Uint8Array(slabBytes)
    used = 0
  }
  const room = slab.subarray(used, used + length)
  used += length
  return room
}

/** Copies octets that are to be kept. */
export function keepOctets(octets: Uint8Array): Uint8Array {
  const room = takeRoom(octets.length)
  room.set(octets)
  return room
}
