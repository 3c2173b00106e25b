/** Networks of pandapower: elements in ohm, kV and percent become a grid in per unit. */

import { groupBy } from '../../base/group-by.ts'
import { isRecord, parseJson } from '../../base/json.ts'
import { GridError } from '../errors.ts'
import { type Element, readTables, type Tables } from './pandapower-tables.ts'
import { type Bases, readTaps, sides, splitThreeWindings, toTwoPort, type Windings } from './pandapower-transformers.ts'
import type { ReadBranch, ReadBus, ReadGenerator, ReadGrid } from './read-grid.ts'
import { type Complex, makePi, openEnd, type TwoPort, toBranch } from './two-port.ts'

/** Tables of elements that the model does not have. */
const unknown =
  'asymmetric_load asymmetric_sgen svc tcsc ssc vsc dcline bus_dc line_dc load_dc source_dc vsc_stacked vsc_bipolar'.split(
    ' ',
  )

/** A grid while its elements are read. */
interface Draft {
  readonly tables: Tables
  readonly buses: Map<number, Building>
  /** The bus that a bus became part of, by the ids of pandapower. */
  readonly joined: ReadonlyMap<number, number>
  readonly branches: ReadBranch[]
  readonly generators: ReadGenerator[]
  readonly warnings: string[]
}

type Building = { -readonly [Key in keyof ReadBus]: ReadBus[Key] }

const isOn = (element: Element) => element.flag('in_service', true)

/**
 * Reads a network that pandapower's `to_json` wrote. Bus n of pandapower is bus n + 1.
 *
 * @throws GridError invalid_case when the text is no such network, or has no external grid or slack machine.
 */
export function readPandapower(text: string): ReadGrid {
  const tables = readTables(text)
  const joined = joinBuses(tables)
  const draft: Draft = { tables, joined, buses: new Map(), branches: [], generators: [], warnings: [] }
  readBuses(draft)
  const slack = readMachines(draft)
  readInjections(draft)
  readLines(draft)
  readTransformers(draft)
  readStars(draft)
  readImpedances(draft)
  for (const table of unknown) {
    const left = tables.list(table).filter(isOn)
    if (left.length > 0)
      draft.warnings.push(`${left.map(({ place }) => place).join(', ')}: left out, this model has no ${table}`)
  }
  return {
    name: tables.name,
    format: 'pandapower network',
    baseMva: tables.baseMva,
    f0Hz: tables.f0Hz,
    ...slack,
    buses: [...draft.buses.values()],
    generators: draft.generators,
    branches: draft.branches,
    warnings: draft.warnings,
  }
}

/** Finds the buses that closed switches make one. */
function joinBuses(tables: Tables): ReadonlyMap<number, number> {
  const joined = new Map(tables.list('bus').map(({ index }) => [index, index]))
  for (const element of tables.list('switch')) {
    if (element.text('et') !== 'b' || !element.flag('closed', true)) continue
    const [one, other] = ['bus', 'element'].map((column) => joined.get(element.number(column)))
    if (one === undefined || other === undefined) throw unknownBus(element)
    for (const [bus, part] of joined) if (part === other) joined.set(bus, one)
  }
  return joined
}

function unknownBus({ place }: Element): GridError {
  return new GridError('invalid_case', `Cannot read network: ${place} is at a bus that does not exist`)
}

function readBuses({ tables, joined, buses }: Draft): void {
  const areas = new Map<string, number>()
  for (const element of tables.list('bus').filter(isOn)) {
    const id = (joined.get(element.index) ?? element.index) + 1
    if (buses.has(id)) continue
    const zone = element.text('zone')
    if (!areas.has(zone)) areas.set(zone, areas.size + 1)
    const place = readPlace(element)
    buses.set(id, {
      id,
      pMw: 0,
      qMvar: 0,
      gMw: 0,
      bMvar: 0,
      area: areas.get(zone) ?? 1,
      baseKv: element.number('vn_kv'),
      vMaxPu: element.number('max_vm_pu', 1.1),
      vMinPu: element.number('min_vm_pu', 0.9),
      ...(place !== undefined && { place }),
    })
  }
}

function readPlace(element: Element): readonly [number, number] | undefined {
  const written = parseJson(element.text('geo'))
  const [x, y]: readonly unknown[] = isRecord(written) && Array.isArray(written.coordinates) ? written.coordinates : []
  return typeof x === 'number' && typeof y === 'number' ? [x, y] : undefined
}

/** The bus at which an element is; undefined where that bus is out of service. */
function findBus({ buses, joined }: Draft, element: Element, column = 'bus'): Building | undefined {
  const part = joined.get(element.number(column))
  if (part === undefined) throw unknownBus(element)
  return buses.get(part + 1)
}

function addShunt(bus: Building | undefined, { re, im }: Complex, baseMva: number): void {
  if (bus === undefined) return
  bus.gMw += re * baseMva
  bus.bMvar += im * baseMva
}

function readMachines(draft: Draft): Pick<ReadGrid, 'slackBus' | 'slackAngleDeg'> {
  const { tables, generators, warnings } = draft
  let slack: Pick<ReadGrid, 'slackBus' | 'slackAngleDeg'> | undefined
  for (const table of ['ext_grid', 'gen'] as const) {
    for (const element of tables.list(table).filter(isOn)) {
      const bus = findBus(draft, element)
      if (bus === undefined) continue
      const isSlack = table === 'ext_grid' || element.flag('slack', false)
      generators.push({ bus: bus.id, ...readMachine(element, isSlack) })
      if (isSlack && slack !== undefined)
        warnings.push(`${element.place}: taken as a machine, bus ${slack.slackBus} is the slack`)
      if (isSlack) slack ??= { slackBus: bus.id, slackAngleDeg: element.number('va_degree', 0) }
    }
  }
  if (slack !== undefined) return slack
  const state = 'no external grid or slack machine is in service, expected one'
  throw new GridError('invalid_case', `Cannot read network: ${state}`)
}

function readMachine(element: Element, isSlack: boolean): Omit<ReadGenerator, 'bus'> {
  const pMw = element.number('p_mw', 0) * element.number('scaling', 1)
  const machineMva = element.number('sn_mva', 0)
  return {
    pMw,
    vSetpointPu: element.number('vm_pu'),
    qMaxMvar: element.number('max_q_mvar', Infinity),
    qMinMvar: element.number('min_q_mvar', -Infinity),
    pMaxMw: element.number('max_p_mw', isSlack ? Infinity : pMw),
    pMinMw: element.number('min_p_mw', 0),
    ...(machineMva > 0 && { machineMva }),
    cost: [0, 0, 0],
  }
}

/** Reads what takes or gives power at a bus: constant power as a load, constant impedance as a fixed admittance. */
function readInjections(draft: Draft): void {
  const { tables, warnings } = draft
  const each = (table: string, read: (element: Element, bus: Building) => void) => {
    for (const element of tables.list(table).filter(isOn)) {
      const bus = findBus(draft, element)
      if (bus !== undefined) read(element, bus)
    }
  }
  const add = (bus: Building, element: Element, sign: 1 | -1) => {
    const scaling = sign * element.number('scaling', 1)
    bus.pMw += element.number('p_mw') * scaling
    bus.qMvar += element.number('q_mvar', 0) * scaling
  }
  each('load', (element, bus) => {
    const [zp, zq] = ['p', 'q'].map((part) => readShare(element, 'const_z', part))
    const [ip = 0, iq = 0] = ['p', 'q'].map((part) => readShare(element, 'const_i', part))
    const scaling = element.number('scaling', 1)
    const [p, q] = [element.number('p_mw') * scaling, element.number('q_mvar', 0) * scaling]
    bus.pMw += p * (1 - (zp ?? 0))
    bus.qMvar += q * (1 - (zq ?? 0))
    bus.gMw += p * (zp ?? 0)
    bus.bMvar -= q * (zq ?? 0)
    if (ip + iq > 0) warnings.push(`${element.place}: its constant current is taken as constant power`)
  })
  each('sgen', (element, bus) => add(bus, element, -1))
  each('storage', (element, bus) => add(bus, element, 1))
  each('motor', (element, bus) => {
    const shaft =
      element.number('pn_mech_mw') * (element.number('loading_percent', 100) / 100) * element.number('scaling', 1)
    const p = shaft / (element.number('efficiency_percent') / 100)
    bus.pMw += p
    bus.qMvar += p * Math.tan(Math.acos(element.number('cos_phi')))
  })
  each('shunt', (element, bus) => {
    const factor = element.number('step', 1) * (bus.baseKv / element.number('vn_kv', bus.baseKv)) ** 2
    bus.gMw += element.number('p_mw') * factor
    bus.bMvar -= element.number('q_mvar') * factor
  })
  for (const table of ['ward', 'xward']) {
    each(table, (element, bus) => {
      bus.pMw += element.number('ps_mw')
      bus.qMvar += element.number('qs_mvar')
      bus.gMw += element.number('pz_mw')
      bus.bMvar -= element.number('qz_mvar')
      if (table === 'xward') addInnerSource(draft, element, bus)
    })
  }
}

/** The share of a load that is a constant impedance or current, by the names of today and of older files. */
function readShare(element: Element, kind: string, part: string): number {
  return element.number(`${kind}_${part}_percent`, element.number(`${kind}_percent`, 0)) / 100
}

/** Adds the source of an extended ward: a condenser at another bus, behind an impedance. */
function addInnerSource(draft: Draft, element: Element, bus: Building): void {
  const { branches, generators, warnings, tables } = draft
  const inner = addBus(draft, bus)
  const base = bus.baseKv ** 2 / tables.baseMva
  branches.push({
    from: bus.id,
    to: inner.id,
    r: element.number('r_ohm') / base,
    x: element.number('x_ohm') / base,
    b: 0,
    ratio: 1,
    shiftDeg: 0,
    rateMva: 0,
    place: element.place,
  })
  generators.push({
    bus: inner.id,
    pMw: 0,
    vSetpointPu: element.number('vm_pu'),
    qMaxMvar: Infinity,
    qMinMvar: -Infinity,
    pMaxMw: 0,
    pMinMw: 0,
    cost: [0, 0, 0],
  })
  warnings.push(`${element.place}: its inner source is a condenser at the new bus ${inner.id}`)
}

/** Adds a bus that the file does not have beside one that it has. */
function addBus({ buses, tables }: Draft, { area, baseKv, vMaxPu, vMinPu, place }: ReadBus): Building {
  const highest = Math.max(...tables.list('bus').map(({ index }) => index + 1), ...buses.keys())
  const bus = {
    id: highest + 1,
    pMw: 0,
    qMvar: 0,
    gMw: 0,
    bMvar: 0,
    area,
    baseKv,
    vMaxPu,
    vMinPu,
    ...(place !== undefined && { place }),
  }
  buses.set(bus.id, bus)
  return bus
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
  if (from === undefined || to === undefined || from === to) return
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
  const ends = new Set<'from' | 'to'>()
  if (open?.has(element.number(from)) === true) ends.add('from')
  if (open?.has(element.number(to)) === true) ends.add('to')
  return ends
}

function readLines(draft: Draft): void {
  const { tables } = draft
  const switches = findOpenSwitches(tables, 'l')
  for (const element of tables.list('line').filter(isOn)) {
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
  for (const element of tables.list('trafo').filter(isOn)) {
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
  for (const element of tables.list('trafo3w').filter(isOn)) {
    const high = findBus(draft, element, 'hv_bus')
    if (high === undefined) continue
    const star = addBus(draft, high)
    const windings = splitThreeWindings(element)
    if (element.flag('tap_at_star_point', false))
      warnings.push(`${element.place}: its tap changer is taken at the terminal`)
    warnTabular(element, warnings)
    for (const side of sides) {
      const bus = findBus(draft, element, `${side}_bus`)
      const bases: Bases = {
        hvKv: high.baseKv,
        lvKv: side === 'hv' ? star.baseKv : (bus?.baseKv ?? windings[side].vnLvKv),
        baseMva: tables.baseMva,
      }
      const taps = element.text('tap_side') === side ? readStarTaps(element, side) : []
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

/** The tap changer of one leg of a star: at the side away from the star. */
function readStarTaps(element: Element, side: (typeof sides)[number]) {
  const steps = element.number('tap_pos', 0) - element.number('tap_neutral', 0)
  const [stepPercent, stepDeg] = [element.number('tap_step_percent', 0), element.number('tap_step_degree', 0)]
  return [
    { side: side === 'hv' ? ('hv' as const) : ('lv' as const), kind: 'ratio' as const, steps, stepPercent, stepDeg },
  ]
}

function readImpedances(draft: Draft): void {
  const { tables, warnings } = draft
  for (const element of tables.list('impedance').filter(isOn)) {
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
