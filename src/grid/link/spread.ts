/** Spreads times that devices and paths do not keep to the microsecond: one device and time give one spread. */

/** Draws a share from 0 to 1 (excluded) by a hash of a device and a time: both taps get the same without state. */
export function drawSpread(device: number, timeUs: number): number {
  let hash = Math.imul(device ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul((timeUs % 2 ** 32) | 0, 0xc2b2ae35)
  for (const shift of [15, 13, 16]) hash = Math.imul(hash ^ (hash >>> shift), 0x2c1b3c6d)
  return ((hash ^ (hash >>> 15)) >>> 0) / 2 ** 32
}
