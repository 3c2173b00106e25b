/** The layout of a single-line diagram, from the coordinates of the topology. */

import { memo } from '#base/memo.ts'
import type { Branch, Bus, GridPlan } from '../plan.ts'

/** A bus bar, and the kinds of devices at it. */
export interface DrawnBus extends Bus {
  /** Half of the bar's length. */
  readonly half: number
  readonly hasGenerator: boolean
  readonly hasLoad: boolean
}

/** A branch as a path from bar to bar. */
export interface DrawnBranch extends Branch {
  readonly path: string
  /** The place of its breaker, at its first bus. */
  readonly breaker: readonly [x: number, y: number]
  /** Its middle, and its direction in degrees. */
  readonly middle: readonly [x: number, y: number, angle: number]
}

/** A drawing. */
export interface Drawing {
  readonly view: string
  readonly buses: readonly DrawnBus[]
  readonly branches: readonly DrawnBranch[]
}

/** Length of a branch that goes straight out of its bar. */
const stub = 16
/** Between two branches at one side of a bar. */
const spacing = 15
/** Half of the shortest bar, and the length of a bar beyond its outermost branch. */
const bar = { leastHalf: 24, overhang: 6 } as const
/** Around the buses, for machines and labels. */
const margin = { x: 86, y: 44 } as const

/** Lays a plan out, once. */
export const layOut = memo(draw)

function draw({ buses: given, branches, generators, loads }: GridPlan): Drawing {
  const buses = spread(given)
  const places = new Map(buses.map((bus) => [bus.id, bus]))
  const at = (id: number) => places.get(id) ?? { id, x: 0, y: 0 }
  const bars = new Map(buses.map((bus) => [bus.id, sortBranches(bus, branches, at)]))
  const drawn = buses.map((bus): DrawnBus => {
    const { above, below } = bars.get(bus.id) ?? { above: [], below: [] }
    const half = Math.max(bar.leastHalf, (Math.max(above.length, below.length) * spacing) / 2 + bar.overhang)
    const has = (list: readonly { readonly bus: number }[]) => list.some((one) => one.bus === bus.id)
    return { ...bus, half, hasGenerator: has(generators), hasLoad: has(loads) }
  })
  const end = (branch: Branch, id: number) => {
    const { above, below } = bars.get(id) ?? { above: [], below: [] }
    const isAbove = above.includes(branch.number)
    const side = isAbove ? above : below
    const { x, y } = at(id)
    return { x: x + (side.indexOf(branch.number) - (side.length - 1) / 2) * spacing, y, out: isAbove ? -stub : stub }
  }
  const xs = buses.map(({ x }) => x)
  const ys = buses.map(({ y }) => y)
  const [left, top] = [Math.min(...xs) - margin.x, Math.min(...ys) - margin.y]
  const [right, bottom] = [Math.max(...xs) + margin.x, Math.max(...ys) + margin.y]
  return {
    view: `${left} ${top} ${right - left} ${bottom - top}`,
    buses: drawn,
    branches: branches.map((branch) => drawBranch(branch, end(branch, branch.from), end(branch, branch.to))),
  }
}

/** Pulls the buses of large cases apart, so that a bar has room at any coordinates of the archive. */
function spread(buses: readonly Bus[]): readonly Bus[] {
  const scale = Math.max(1, Math.sqrt(buses.length / 14))
  return buses.map(({ id, x, y }) => ({ id, x: x * scale, y: y * scale * 0.86 }))
}

/** The branches at the upper and at the lower side of a bar, from left to right, by number. */
function sortBranches(bus: Bus, branches: readonly Branch[], at: (id: number) => Bus) {
  const ends = branches
    .filter(({ from, to }) => from === bus.id || to === bus.id)
    .map(({ number, from, to }) => ({ number, other: at(from === bus.id ? to : from) }))
  const isAbove = ({ y }: Bus) => y < bus.y - 1
  const order = (list: typeof ends) =>
    list
      .map(({ number, other }) => ({ number, slope: (other.x - bus.x) / (Math.abs(other.y - bus.y) + 40) }))
      .sort((one, two) => one.slope - two.slope || one.number - two.number)
      .map(({ number }) => number)
  return {
    above: order(ends.filter(({ other }) => isAbove(other))),
    below: order(ends.filter(({ other }) => !isAbove(other))),
  }
}

interface End {
  readonly x: number
  readonly y: number
  readonly out: number
}

function drawBranch(branch: Branch, from: End, to: End): DrawnBranch {
  const [y1, y2] = [from.y + from.out, to.y + to.out]
  return {
    ...branch,
    path: `M${from.x} ${from.y}V${y1}L${to.x} ${y2}V${to.y}`,
    breaker: [from.x, y1 - from.out / 4],
    middle: [(from.x + to.x) / 2, (y1 + y2) / 2, (Math.atan2(y2 - y1, to.x - from.x) * 180) / Math.PI],
  }
}
