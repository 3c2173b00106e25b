/** Spreads times that devices and paths do not keep to the microsecond: one device and time give one spread. */

/** Odd factors: two of the last step of MurmurHash3, and one of Wellons' search for such functions, hash-prospector. */
const factor = { device: 0x85ebca6b, time: 0xc2b2ae35, mix: 0x2c1b3c6d } as const
/** 2^32 by the golden ratio, so that device 0 is not the factor 0. */
const golden = 0x9e3779b9

/** Draws a share from 0 to 1 (excluded) by a hash of a device and a time: both taps get the same without state. */
export function drawSpread(device: number, timeUs: number): number {
  let hash = Math.imul(device ^ golden, factor.device) ^ Math.imul((timeUs % 2 ** 32) | 0, factor.time)
  for (const shift of [15, 13, 16]) hash = Math.imul(hash ^ (hash >>> shift), factor.mix)
  return ((hash ^ (hash >>> 15)) >>> 0) / 2 ** 32
}
