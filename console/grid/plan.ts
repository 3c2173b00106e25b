/** The grid of a topology, where it has one: an outside simulator may send a field `grid` of any shape. */

import { isRecord } from '#base/json.ts'
import type * as answer from '#grid/contract/grid.ts'

/** A bus of the drawing. */
export type Bus = Pick<answer.Bus, 'id' | 'x' | 'y'>

/** A branch of the drawing. */
export type Branch = Pick<answer.Branch, 'number' | 'name' | 'from' | 'to' | 'rate_mva' | 'tap'>

/** As much of a grid as is drawn. */
export interface GridPlan {
  readonly case: string
  readonly buses: readonly Bus[]
  readonly branches: readonly Branch[]
  readonly generators: readonly { readonly bus: number }[]
  readonly loads: readonly { readonly bus: number }[]
}

/** Reads the member `grid` of a topology; undefined where it is absent, or is not a plan that can be drawn. */
export function readPlan(grid: unknown): GridPlan | undefined {
  if (!isRecord(grid) || typeof grid.case !== 'string') return undefined
  const buses = readList(grid.buses, isBus)
  const branches = readList(grid.branches, isBranch)
  const generators = readList(grid.generators, isAtBus)
  const loads = readList(grid.loads, isAtBus)
  if (buses === undefined || branches === undefined || generators === undefined || loads === undefined) return undefined
  const ids = new Set(buses.map(({ id }) => id))
  const ends = [...branches.flatMap(({ from, to }) => [from, to]), ...[...generators, ...loads].map(({ bus }) => bus)]
  const isWhole = ids.size === buses.length && ids.size > 0 && ends.every((id) => ids.has(id))
  const isUnique = new Set(branches.map(({ number }) => number)).size === branches.length
  return isWhole && isUnique ? { case: grid.case, buses, branches, generators, loads } : undefined
}

function readList<T>(value: unknown, isOne: (one: unknown) => one is T): readonly T[] | undefined {
  return Array.isArray(value) && value.every(isOne) ? value : undefined
}

/** A place further out than this would leave nothing to see of a drawing. */
const farthest = 1e6

function isPlace(value: unknown): boolean {
  return typeof value === 'number' && Math.abs(value) <= farthest
}

function isBus(value: unknown): value is Bus {
  return isRecord(value) && Number.isSafeInteger(value.id) && isPlace(value.x) && isPlace(value.y)
}

function isBranch(value: unknown): value is Branch {
  if (!isRecord(value) || typeof value.name !== 'string' || typeof value.rate_mva !== 'number') return false
  return [value.number, value.from, value.to, value.tap ?? 0].every(Number.isSafeInteger)
}

function isAtBus(value: unknown): value is { readonly bus: number } {
  return isRecord(value) && Number.isSafeInteger(value.bus)
}
