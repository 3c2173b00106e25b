/** Lines, transformers and impedances of pandapower as branches in per unit; open ends become shunts. */

import { groupBy } from '../../base/group-by.ts'
import { addBus, type Building, type Draft, findBus, listInService } from './pandapower-draft.ts'
import type { Element, Tables } from './pandapower-tables.ts'
import {
  type Bases,
  readSteps,
  readTaps,
  sides,
  splitThreeWindings,
  type Tap,
  toTwoPort,
  type Windings,
} from './pandapower-transformers.ts'
import { type Complex, makePi, openEnd, type TwoPort, toBranch } from './two-port.ts'

function addShunt(bus: Building | undefined, { re, im }: Complex, baseMva: number): void {
  if (bus === undefined) return
  bus.gMw += re * baseMva
  bus.bMvar += im * baseMva
}

/** One branch to be: its two-port and the buses at its ends; undefined where a bus is out of service. */
interface Link {
  readonly place: string
  readonly twoPort: TwoPort
  readonly from: Building | undefined
  readonly to: Building | undefined
  readonly shiftDeg: number
  readonly rateMva: number
  /** Ends whose switch is open. */
  readonly open: ReadonlySet<'from' | 'to'>
}

/** Adds a branch; one with an open end is what its other end sees of it. */
function addLink({ branches, tables, warnings }: Draft, link: Link): void {
  const { place, twoPort, from, to, shiftDeg, rateMva } = link
  const open = new Set(link.open)
  if (from === undefined) open.add('from')
  if (to === undefined) open.add('to')
  if (open.size === 2) return
  const [opened] = open
  if (opened !== undefined) {
    addShunt(opened === 'to' ? from : to, openEnd(twoPort, opened), tables.baseMva)
    warnings.push(`${place}: open at one end, taken as the admittance that its other end sees`)
    return
  }
  if (from === undefined || to === undefined) return
  if (from === to) {
    warnings.push(`${place}: both ends are at one bus, left out`)
    return
  }
  const { branch, atFrom, atTo } = toBranch(twoPort)
  addShunt(from, atFrom, tables.baseMva)
  addShunt(to, atTo, tables.baseMva)
  branches.push({ from: from.id, to: to.id, ...branch, shiftDeg, rateMva, place })
}

/** The buses with an open switch to an element of a kind, by the index of the element. */
function findOpenSwitches(tables: Tables, kind: string): ReadonlyMap<number, ReadonlySet<number>> {
  const open = tables.list('switch').filter((element) => element.text('et') === kind && !element.flag('closed', true))
  const byElement = groupBy(open, (element) => element.number('element'))
  return new Map(
    [...byElement].map(([index, found]) => [index, new Set(found.map((element) => element.number('bus')))]),
  )
}

function listOpenEnds(element: Element, open: ReadonlySet<number> | undefined, from: string, to: string) {
  const columns = { from, to } as const
  return new Set((['from', 'to'] as const).filter((end) => open?.has(element.number(columns[end]))))
}

/** Reads the lines, transformers and impedances of a network. */
export function readBranches(draft: Draft): void {
  readLines(draft)
  readTransformers(draft)
  readStars(draft)
  readImpedances(draft)
}

function readLines(draft: Draft): void {
  const { tables } = draft
  const switches = findOpenSwitches(tables, 'l')
  for (const element of listInService(draft, 'line')) {
    const [from, to] = [findBus(draft, element, 'from_bus'), findBus(draft, element, 'to_bus')]
    const kv = (from ?? to)?.baseKv ?? 1
    const [length, parallel] = [element.number('length_km'), element.number('parallel', 1)]
    const ohm = kv ** 2 / tables.baseMva
    const perUnit = length / parallel / ohm
    const series = { re: element.number('r_ohm_per_km') * perUnit, im: element.number('x_ohm_per_km') * perUnit }
    const siemens = length * parallel * ohm
    const shunt = {
      re: element.number('g_us_per_km', 0) * 1e-6 * siemens,
      im: 2 * Math.PI * tables.f0Hz * element.number('c_nf_per_km') * 1e-9 * siemens,
    }
    addLink(draft, {
      place: element.place,
      twoPort: makePi(series, shunt),
      from,
      to,
      shiftDeg: 0,
      rateMva: Math.sqrt(3) * kv * element.number('max_i_ka', 0) * element.number('df', 1) * parallel,
      open: listOpenEnds(element, switches.get(element.index), 'from_bus', 'to_bus'),
    })
  }
}

function readTransformers(draft: Draft): void {
  const { tables, warnings } = draft
  const switches = findOpenSwitches(tables, 't')
  for (const element of listInService(draft, 'trafo')) {
    const [from, to] = [findBus(draft, element, 'hv_bus'), findBus(draft, element, 'lv_bus')]
    const windings = readWindings(element)
    const { snMva, vnHvKv, vnLvKv, parallel } = windings
    const bases = { hvKv: from?.baseKv ?? vnHvKv, lvKv: to?.baseKv ?? vnLvKv, baseMva: tables.baseMva }
    warnTabular(element, warnings)
    addLink(draft, {
      place: element.place,
      ...toTwoPort(windings, readTaps(element), bases),
      from,
      to,
      rateMva: snMva * parallel * element.number('df', 1),
      open: listOpenEnds(element, switches.get(element.index), 'hv_bus', 'lv_bus'),
    })
  }
}

function readWindings(element: Element): Windings {
  return {
    snMva: element.number('sn_mva'),
    vnHvKv: element.number('vn_hv_kv'),
    vnLvKv: element.number('vn_lv_kv'),
    vkPercent: element.number('vk_percent'),
    vkrPercent: element.number('vkr_percent'),
    pfeKw: element.number('pfe_kw', 0),
    i0Percent: element.number('i0_percent', 0),
    shiftDeg: element.number('shift_degree', 0),
    parallel: element.number('parallel', 1),
  }
}

function warnTabular(element: Element, warnings: string[]): void {
  if (element.flag('tap_dependency_table', false) || element.text('tap_changer_type') === 'Tabular') {
    warnings.push(`${element.place}: the table of its tap changer is not read, it stands at its neutral position`)
  }
}

function readStars(draft: Draft): void {
  const { tables, warnings } = draft
  const switches = findOpenSwitches(tables, 't3')
  for (const element of listInService(draft, 'trafo3w')) {
    const high = findBus(draft, element, 'hv_bus')
    if (high === undefined) continue
    const star = addBus(draft, high)
    const windings = splitThreeWindings(element)
    if (element.flag('tap_at_star_point', false))
      warnings.push(`${element.place}: its tap changer is taken at the terminal`)
    warnTabular(element, warnings)
    for (const side of sides) {
      // The side of a leg away from the star.
      const terminal = side === 'hv' ? 'hv' : 'lv'
      const bus = findBus(draft, element, `${side}_bus`)
      const bases: Bases = {
        hvKv: high.baseKv,
        lvKv: side === 'hv' ? star.baseKv : (bus?.baseKv ?? windings[side].vnLvKv),
        baseMva: tables.baseMva,
      }
      const taps: Tap[] =
        element.text('tap_side') === side ? [{ side: terminal, kind: 'ratio', ...readSteps(element) }] : []
      const isOpen = switches.get(element.index)?.has(element.number(`${side}_bus`)) === true
      addLink(draft, {
        place: `${element.place} ${side}`,
        ...toTwoPort(windings[side], taps, bases),
        ...(side === 'hv' ? { from: bus, to: star } : { from: star, to: bus }),
        rateMva: windings[side].snMva,
        open: new Set(isOpen ? [side === 'hv' ? 'from' : 'to'] : []),
      })
    }
    warnings.push(`${element.place}: three transformers with a star at the new bus ${star.id}`)
  }
}

function readImpedances(draft: Draft): void {
  const { tables, warnings } = draft
  for (const element of listInService(draft, 'impedance')) {
    const factor = tables.baseMva / element.number('sn_mva')
    const series = { re: element.number('rft_pu') * factor, im: element.number('xft_pu') * factor }
    const end = (side: 'f' | 't') => ({
      re: element.number(`g${side}_pu`, 0) / factor,
      im: element.number(`b${side}_pu`, 0) / factor,
    })
    if (
      element.number('rtf_pu') !== element.number('rft_pu') ||
      element.number('xtf_pu') !== element.number('xft_pu')
    ) {
      warnings.push(`${element.place}: its impedance against its direction is taken as that along it`)
    }
    addLink(draft, {
      place: element.place,
      twoPort: { series, atFrom: end('f'), atTo: end('t'), ratio: 1 },
      shiftDeg: 0,
      from: findBus(draft, element, 'from_bus'),
      to: findBus(draft, element, 'to_bus'),
      rateMva: element.number('sn_mva'),
      open: new Set(),
    })
  }
}
