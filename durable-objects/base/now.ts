/** The clock of objects. */

/** Reads the clock: Unix time in whole seconds. */
export function nowSeconds(): number {
  return Math.floor(Date.now() / 1000)
}
