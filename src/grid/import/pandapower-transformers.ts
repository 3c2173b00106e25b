/** Transformers of pandapower as two-ports: own ratings and voltages, taps, and three windings as a star of three. */

import { toDegrees, toRadians } from '../angles.ts'
import type { Element } from './pandapower-tables.ts'
import { makeT, type TwoPort } from './two-port.ts'

/** A transformer of two windings; impedances in percent on its own rating. */
export interface Windings {
  readonly snMva: number
  readonly vnHvKv: number
  readonly vnLvKv: number
  readonly vkPercent: number
  readonly vkrPercent: number
  readonly pfeKw: number
  readonly i0Percent: number
  readonly shiftDeg: number
  readonly parallel: number
}

/** A tap changer at its position. */
export interface Tap {
  readonly side: 'hv' | 'lv'
  readonly kind: 'ratio' | 'ideal'
  /** Steps away from the neutral position. */
  readonly steps: number
  readonly stepPercent: number
  readonly stepDeg: number
}

/** The buses' voltages at both sides in kV, and the base of the network in MVA. */
export interface Bases {
  readonly hvKv: number
  readonly lvKv: number
  readonly baseMva: number
}

/** Reads the tap changers of a transformer; a table of characteristics is not read. */
export function readTaps(element: Element): readonly Tap[] {
  return ['tap', 'tap2'].flatMap((name) => {
    const kind = readKind(element, name)
    const side = element.text(`${name}_side`)
    if (kind === undefined || (side !== 'hv' && side !== 'lv')) return []
    return [{ side, kind, ...readSteps(element, name) }]
  })
}

/** Steps of a tap changer from its neutral position, and the size of each. */
export function readSteps(element: Element, name = 'tap'): Pick<Tap, 'steps' | 'stepPercent' | 'stepDeg'> {
  const read = (column: string) => element.number(`${name}_${column}`, 0)
  return { steps: read('pos') - read('neutral'), stepPercent: read('step_percent'), stepDeg: read('step_degree') }
}

/** Files of pandapower 3 name the kind of a changer; older ones have a flag for phase shifters. */
function readKind(element: Element, name: string): Tap['kind'] | undefined {
  const written = element.text(`${name}_changer_type`)
  if (written === 'Ratio' || written === 'Symmetrical') return 'ratio'
  if (written === 'Ideal') return 'ideal'
  if (written !== '' || !element.has(`${name}_phase_shifter`)) return undefined
  return element.flag(`${name}_phase_shifter`, false) ? 'ideal' : 'ratio'
}

/** The two-port of a transformer from its high to its low side, and its phase shift in degrees. */
export function toTwoPort(windings: Windings, taps: readonly Tap[], { hvKv, lvKv, baseMva }: Bases) {
  const { snMva, vkPercent, vkrPercent, pfeKw, i0Percent, parallel } = windings
  let { vnHvKv, vnLvKv, shiftDeg } = windings
  for (const { side, kind, steps, stepPercent, stepDeg } of taps) {
    const direction = side === 'hv' ? 1 : -1
    if (kind === 'ideal') {
      const half = (steps * stepPercent) / 200
      shiftDeg += direction * (stepDeg === 0 ? 2 * toDegrees(Math.asin(half)) : steps * stepDeg)
      continue
    }
    const change = (steps * stepPercent) / 100
    const [along, across] = [1 + change * Math.cos(toRadians(stepDeg)), change * Math.sin(toRadians(stepDeg))]
    if (side === 'hv') vnHvKv *= Math.hypot(along, across)
    else vnLvKv *= Math.hypot(along, across)
    shiftDeg += direction * toDegrees(Math.atan(across / along))
  }
  const base = (baseMva * (vnLvKv / lvKv) ** 2) / (snMva * parallel)
  const [z, r] = [(vkPercent / 100) * base, (vkrPercent / 100) * base]
  const series = { re: r, im: Math.sign(z) * Math.sqrt(Math.max(z * z - r * r, 0)) }
  const ironMw = pfeKw / 1000
  const magnetizing = Math.sqrt(Math.max(((i0Percent / 100) * snMva) ** 2 - ironMw ** 2, 0))
  const perMva = ((lvKv / vnLvKv) ** 2 * parallel) / baseMva
  const shunt = { re: ironMw * perMva, im: -magnetizing * perMva }
  const twoPort: TwoPort = makeT(series, shunt, vnHvKv / vnLvKv / (hvKv / lvKv))
  return { twoPort, shiftDeg }
}

/** The sides of a transformer with three windings. */
export const sides = ['hv', 'mv', 'lv'] as const

/** The three transformers of a star with the voltage of the high side, where the losses of the iron are. */
export function splitThreeWindings(element: Element): Readonly<Record<(typeof sides)[number], Windings>> {
  const triple = (quantity: string, unit: string) => sides.map((side) => element.number(`${quantity}_${side}_${unit}`))
  const [sn, vn] = [triple('sn', 'mva'), triple('vn', 'kv')]
  const [vk, vkr] = [toDelta(triple('vk', 'percent'), sn), toDelta(triple('vkr', 'percent'), sn)]
  const vkx = vk.map((value, at) => Math.sqrt(value ** 2 - (vkr[at] ?? 0) ** 2))
  const [resistive, reactive] = [toStar(vkr, sn), toStar(vkx, sn)]
  const windings = sides.map((side, at): Windings => {
    const [r, x] = [resistive[at] ?? 0, reactive[at] ?? 0]
    return {
      snMva: sn[at] ?? 0,
      vnHvKv: vn[0] ?? 0,
      vnLvKv: vn[at] ?? 0,
      vkPercent: Math.sign(x) * Math.hypot(x, r),
      vkrPercent: r,
      pfeKw: side === 'hv' ? element.number('pfe_kw', 0) : 0,
      i0Percent: side === 'hv' ? element.number('i0_percent', 0) : 0,
      shiftDeg: side === 'hv' ? 0 : element.number(`shift_${side}_degree`, 0),
      parallel: 1,
    }
  })
  const [hv, mv, lv] = windings as [Windings, Windings, Windings] // one for each side
  return { hv, mv, lv }
}

/** Short-circuit voltages between two sides each, on the rating of the high side: high-middle, middle-low, high-low. */
function toDelta([hv = 0, mv = 0, lv = 0]: readonly number[], [a = 0, b = 0, c = 0]: readonly number[]) {
  return [(hv * a) / Math.min(a, b), (mv * a) / Math.min(b, c), (lv * a) / Math.min(a, c)]
}

/** The short-circuit voltage of each leg on its own rating. */
function toStar([ab = 0, bc = 0, ac = 0]: readonly number[], sn: readonly number[]): readonly number[] {
  return [ab + ac - bc, bc + ab - ac, ac + bc - ab].map((sum, at) => (sum * (sn[at] ?? 0)) / (2 * (sn[0] ?? 1)))
}
