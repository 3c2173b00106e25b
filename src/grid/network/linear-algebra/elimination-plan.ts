/** The places of a sparse matrix that may have values, and the order in which its rows are eliminated. */

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
  return search(columns, indexAt(rowStart, row), indexAt(rowStart, row + 1), column)
}

/** Finds the first index from `start` on, and before `end`, whose value is not below `value`; the values ascend. */
export function search(values: Int32Array, start: number, end: number, value: number): number {
  let [low, high] = [start, end]
  while (low < high) {
    const middle = (low + high) >> 1
    if (indexAt(values, middle) < value) low = middle + 1
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
export function invertOrder(order: ArrayLike<number>): Int32Array {
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
