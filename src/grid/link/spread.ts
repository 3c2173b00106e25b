/** Spreads times that devices and paths do not keep to the microsecond: the same place and time give the same spread. */

/**
 * Draws a share from the seed of a session, or another number that names a device, and a time.
 *
 * A hash and not a stream: both taps of a message, and the parts of TCP that have no stream, agree without state.
 *
 * @returns from 0 to 1, without 1.
 */
export function drawSpread(name: number, timeUs: number): number {
  let hash = Math.imul(name ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul((timeUs % 2 ** 32) | 0, 0xc2b2ae35)
  for (const shift of [15, 13, 16]) hash = Math.imul(hash ^ (hash >>> shift), 0x2c1b3c6d)
  return ((hash ^ (hash >>> 15)) >>> 0) / 2 ** 32
}
