/** Sparse LU factorisation on a plan of order and fill that is found once per pattern: the rest is arithmetic. */

import { at, indexAt, startRows } from './vector.ts'

/** The places of a square matrix that may have values: compressed rows, structurally symmetric, every diagonal included. */
export interface Pattern {
  readonly size: number
  /** Row r owns the slots rowStart[r] to rowStart[r + 1] - 1. */
  readonly rowStart: Int32Array
  readonly columns: Int32Array
}

/** The order of elimination of a pattern and where its factors have values. */
export interface SparsePlan {
  readonly pattern: Pattern
  /** The row that is eliminated at each position. */
  readonly order: Int32Array
  /** The position at which each slot's column is eliminated. */
  readonly slotPlaces: Int32Array
  readonly lowerStart: Int32Array
  readonly lowerPlaces: Int32Array
  readonly upperStart: Int32Array
  readonly upperPlaces: Int32Array
}

/** A = L U in the order of the plan; L has a unit diagonal, the diagonal of U is kept inverted. */
export interface SparseFactors {
  readonly plan: SparsePlan
  readonly lower: Float64Array
  readonly upper: Float64Array
  readonly inversePivots: Float64Array
}

/** Collects the pattern of a matrix from the neighbours of each row. */
export function toPattern(neighbours: readonly ReadonlySet<number>[]): Pattern {
  const rows = neighbours.map((others, row) => [...new Set([...others, row])].sort((a, b) => a - b))
  return { size: rows.length, rowStart: startRows(rows), columns: Int32Array.from(rows.flat()) }
}

/** The neighbours of each row, itself left out. */
export function toNeighbours({ size, rowStart, columns }: Pattern): Set<number>[] {
  return Array.from({ length: size }, (_, row) => {
    const others = new Set(columns.subarray(indexAt(rowStart, row), indexAt(rowStart, row + 1)))
    others.delete(row)
    return others
  })
}

/** Replaces every element of a pattern by a block of `width` by `width` elements. */
export function expandPattern(pattern: Pattern, width: number): Pattern {
  const rows = toNeighbours(pattern).flatMap((others, block) => {
    const scalars = new Set([...others, block].flatMap((other) => blockMembers(other, width)))
    return blockMembers(block, width).map(() => scalars)
  })
  return toPattern(rows)
}

function blockMembers(block: number, width: number): number[] {
  return Array.from({ length: width }, (_, member) => block * width + member)
}

/** Finds the slot of an element of the pattern; the slots of a row are in the order of their columns. */
export function findSlot({ rowStart, columns }: Pattern, row: number, column: number): number {
  let low = indexAt(rowStart, row)
  let high = indexAt(rowStart, row + 1) - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if (indexAt(columns, middle) < column) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * Plans the elimination of a pattern whose elements are blocks of `width`, in the order of minimum degree (Tinney's
 * second scheme), ties to the lower number; for `expandPattern(blocks, width)`.
 */
export function planElimination(blocks: Pattern, width: number): SparsePlan {
  const { order, later } = orderByDegree(blocks)
  const place = invertOrder(order)
  const upper: number[][] = []
  const lower: number[][] = Array.from({ length: blocks.size * width }, () => [])
  order.forEach((block, position) => {
    const following = (later[block] ?? []).map((other) => indexAt(place, other)).sort((a, b) => a - b)
    for (let member = 0; member < width; member++) {
      const inside = blockMembers(position, width).slice(member + 1)
      const scalars = [...inside, ...following.flatMap((other) => blockMembers(other, width))]
      upper.push(scalars)
      for (const scalar of scalars) lower[scalar]?.push(position * width + member)
    }
  })
  const pattern = width === 1 ? blocks : expandPattern(blocks, width)
  return {
    pattern,
    order: Int32Array.from(order.flatMap((block) => blockMembers(block, width))),
    slotPlaces: pattern.columns.map((column) => indexAt(place, Math.floor(column / width)) * width + (column % width)),
    lowerStart: startRows(lower),
    lowerPlaces: Int32Array.from(lower.flat()),
    upperStart: startRows(upper),
    upperPlaces: Int32Array.from(upper.flat()),
  }
}

/** The position of each member of an order. */
function invertOrder(order: ArrayLike<number>): Int32Array {
  const places = new Int32Array(order.length)
  for (let position = 0; position < order.length; position++) places[order[position] ?? 0] = position
  return places
}

/** Eliminates the block with the fewest neighbours again and again; `later` has the neighbours it had then. */
function orderByDegree(blocks: Pattern): { order: number[]; later: number[][] } {
  const neighbours = toNeighbours(blocks)
  const waiting = new Set(neighbours.keys())
  const order: number[] = []
  const later: number[][] = neighbours.map(() => [])
  while (waiting.size > 0) {
    let best = -1
    let fewest = Infinity
    for (const block of waiting) {
      const degree = neighbours[block]?.size ?? 0
      if (degree < fewest) [best, fewest] = [block, degree]
    }
    const others = [...(neighbours[best] ?? [])]
    for (const other of others) {
      const joined = neighbours[other]
      for (const another of others) if (another !== other) joined?.add(another)
      joined?.delete(best)
    }
    waiting.delete(best)
    order.push(best)
    later[best] = others
  }
  return { order, later }
}

/**
 * Factors a matrix without pivoting; undefined when a pivot is at or below the share `smallest` of its row's largest
 * value, or is not a number.
 */
export function factorSparse(plan: SparsePlan, values: Float64Array, smallest = 1e-12): SparseFactors | undefined {
  const { pattern, order, slotPlaces, lowerStart, lowerPlaces, upperStart, upperPlaces } = plan
  const lower = new Float64Array(lowerPlaces.length)
  const upper = new Float64Array(upperPlaces.length)
  const inversePivots = new Float64Array(pattern.size)
  const work = new Float64Array(pattern.size)
  for (let position = 0; position < pattern.size; position++) {
    const row = indexAt(order, position)
    let largest = 0
    const rowEnd = indexAt(pattern.rowStart, row + 1)
    for (let slot = indexAt(pattern.rowStart, row); slot < rowEnd; slot++) {
      const value = at(values, slot)
      work[indexAt(slotPlaces, slot)] = value
      if (Math.abs(value) > largest) largest = Math.abs(value)
    }
    const lowerEnd = indexAt(lowerStart, position + 1)
    for (let entry = indexAt(lowerStart, position); entry < lowerEnd; entry++) {
      const earlier = indexAt(lowerPlaces, entry)
      const factor = at(work, earlier) * at(inversePivots, earlier)
      work[earlier] = 0
      if (factor === 0) continue
      lower[entry] = factor
      const end = indexAt(upperStart, earlier + 1)
      for (let other = indexAt(upperStart, earlier); other < end; other++) {
        const place = indexAt(upperPlaces, other)
        work[place] = at(work, place) - factor * at(upper, other)
      }
    }
    const pivot = at(work, position)
    work[position] = 0
    // Written so that NaN fails the comparison, too.
    if (!(Math.abs(pivot) > smallest * largest)) return undefined
    inversePivots[position] = 1 / pivot
    const upperEnd = indexAt(upperStart, position + 1)
    for (let entry = indexAt(upperStart, position); entry < upperEnd; entry++) {
      const place = indexAt(upperPlaces, entry)
      upper[entry] = at(work, place)
      work[place] = 0
    }
  }
  return { plan, lower, upper, inversePivots }
}

/** Solves A x = b. */
export function solveSparse(factors: SparseFactors, right: Float64Array): Float64Array {
  const { plan, lower, upper, inversePivots } = factors
  const { order, lowerStart, lowerPlaces, upperStart, upperPlaces } = plan
  const size = plan.pattern.size
  const y = new Float64Array(size)
  for (let position = 0; position < size; position++) {
    let sum = at(right, indexAt(order, position))
    const end = indexAt(lowerStart, position + 1)
    for (let entry = indexAt(lowerStart, position); entry < end; entry++) {
      sum -= at(lower, entry) * at(y, indexAt(lowerPlaces, entry))
    }
    y[position] = sum
  }
  const x = new Float64Array(size)
  for (let position = size - 1; position >= 0; position--) {
    let sum = at(y, position)
    const end = indexAt(upperStart, position + 1)
    for (let entry = indexAt(upperStart, position); entry < end; entry++) {
      sum -= at(upper, entry) * at(y, indexAt(upperPlaces, entry))
    }
    y[position] = sum * at(inversePivots, position)
    x[indexAt(order, position)] = at(y, position)
  }
  return x
}

/** Writes a matrix out in full, row by row, from one value or block of `width` by `width` for each slot. */
export function toDense({ size, rowStart, columns }: Pattern, values: Float64Array, width = 1): Float64Array {
  const across = width * size
  const dense = new Float64Array(across * across)
  for (let row = 0; row < size; row++) {
    for (let slot = indexAt(rowStart, row); slot < indexAt(rowStart, row + 1); slot++) {
      for (let part = 0; part < width * width; part++) {
        const [down, right] = [width * row + Math.floor(part / width), width * indexAt(columns, slot) + (part % width)]
        dense[down * across + right] = at(values, width * width * slot + part)
      }
    }
  }
  return dense
}

/**
 * The elements of the inverse of a symmetric matrix in the pattern of its factors, by Takahashi, Fagan and Chen (1973):
 * Z = D^-1 L^-1 + (I - U') Z from the last position back, at about the cost of factoring; undefined for a pair outside
 * of it.
 */
export function invertInPattern(factors: SparseFactors): (row: number, column: number) => number | undefined {
  const { plan, upper, inversePivots } = factors
  const { order, upperStart, upperPlaces } = plan
  const size = plan.pattern.size
  const diagonal = new Float64Array(size)
  const beside = new Float64Array(upper.length)
  const find = (row: number, column: number): number => {
    let low = indexAt(upperStart, row)
    let high = indexAt(upperStart, row + 1) - 1
    while (low <= high) {
      const middle = (low + high) >> 1
      const place = indexAt(upperPlaces, middle)
      if (place === column) return middle
      if (place < column) low = middle + 1
      else high = middle - 1
    }
    return -1
  }
  // NaN outside of the pattern: `undefined` would make the loops below slower.
  const readEntry = (left: number, right: number): number => {
    if (left === right) return at(diagonal, left)
    const entry = left < right ? find(left, right) : find(right, left)
    return entry < 0 ? Number.NaN : at(beside, entry)
  }
  for (let position = size - 1; position >= 0; position--) {
    const start = indexAt(upperStart, position)
    const end = indexAt(upperStart, position + 1)
    const inverse = at(inversePivots, position)
    for (let entry = start; entry < end; entry++) {
      const column = indexAt(upperPlaces, entry)
      let sum = 0
      for (let other = start; other < end; other++) {
        if (at(upper, other) !== 0) sum += at(upper, other) * readEntry(indexAt(upperPlaces, other), column)
      }
      beside[entry] = -sum * inverse
    }
    let sum = 0
    for (let entry = start; entry < end; entry++) sum += at(upper, entry) * at(beside, entry)
    diagonal[position] = inverse * (1 - sum)
  }
  const place = invertOrder(order)
  return (row, column) => {
    const value = readEntry(indexAt(place, row), indexAt(place, column))
    return Number.isNaN(value) ? undefined : value
  }
}
