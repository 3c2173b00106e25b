/** The mark of a raised counter in memcached: its flags, which change with the value in one step and which `incr` keeps. */

/** Tells a mark from the flags of other clients; the reference writes 0. */
const markBit = 2 ** 31

/** The flags of a counter that was raised by `raisedBy`, which is below 2^31. */
export function encodeMark(raisedBy: number): number {
  return markBit + raisedBy
}

/** Reads by how much a counter was raised from its flags; null when they do not hold a mark. */
export function decodeMark(flags: number | undefined): number | null {
  return flags !== undefined && flags >= markBit ? flags - markBit : null
}
