/** Angles: degrees, radians, and the same direction within one turn. */

/** Converts degrees to radians. */
export function toRadians(degrees: number): number {
  return (degrees * Math.PI) / 180
}

/** Converts radians to degrees. */
export function toDegrees(radians: number): number {
  return (radians * 180) / Math.PI
}

/** Wraps an angle to within half a turn on either side of 0; `turn` is a whole one in the unit of the angle. */
export function wrapAngle(angle: number, turn = 2 * Math.PI): number {
  return angle - turn * Math.ceil(angle / turn - 0.5)
}
