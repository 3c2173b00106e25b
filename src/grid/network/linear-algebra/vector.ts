/** Reading and adding to elements of typed arrays whose indexes come from plans made together with them. */

/** The element at `index`, which must lie inside the array. */
export function at(values: Float64Array, index: number): number {
  // A typed array holds a number at every index inside it; callers take indexes from the array's own plan.
  return values[index] as number
}

/** The integer at `index`, which must lie inside the array. */
export function indexAt(values: Int32Array, index: number): number {
  // As in `at`; a second function keeps each of them fast, because each sees one kind of array only.
  return values[index] as number
}

/** Adds `amount` to the element at `index`. */
export function addAt(values: Float64Array, index: number, amount: number): void {
  values[index] = at(values, index) + amount
}

/** The place of each row in a list of all rows behind each other, and at the end the length of the list. */
export function startRows(rows: readonly { readonly length: number }[]): Int32Array {
  const starts = new Int32Array(rows.length + 1)
  rows.forEach(({ length }, row) => {
    starts[row + 1] = indexAt(starts, row) + length
  })
  return starts
}

/** Allocates vectors of one size, one with each call: in one piece of memory, which takes a third of the time. */
export function allocateVectors(size: number, count: number): () => Float64Array {
  const { buffer } = new Float64Array(size * count)
  let next = 0
  return () => new Float64Array(buffer, 8 * size * next++, size)
}

/** The largest magnitude in a vector; NaN when any element is NaN. */
export function maxMagnitude(values: Float64Array): number {
  let largest = 0
  for (let n = 0; n < values.length; n++) {
    const magnitude = Math.abs(at(values, n))
    if (magnitude <= largest) continue
    if (Number.isNaN(magnitude)) return magnitude
    largest = magnitude
  }
  return largest
}
