/** Networks of pandapower: elements in ohm, kV and percent become a grid in per unit. */

import { isRecord, parseJson } from '../../base/json.ts'
import { GridError } from '../errors.ts'
import { readBranches } from './pandapower-branches.ts'
import { type Draft, findBus, listInService, noPower, unknownBus } from './pandapower-draft.ts'
import { readInjections } from './pandapower-injections.ts'
import { type Element, readTables, type Tables } from './pandapower-tables.ts'
import type { ReadGenerator, ReadGrid } from './read-grid.ts'

/** Tables of elements that the model does not have. */
const unknown =
  'asymmetric_load asymmetric_sgen svc tcsc ssc vsc dcline bus_dc line_dc load_dc source_dc vsc_stacked vsc_bipolar'.split(
    ' ',
  )

/**
 * Reads a network that pandapower's `to_json` wrote. Bus n of pandapower is bus n + 1.
 *
 * @throws GridError invalid_case when the text is no such network, or has no external grid or slack machine.
 */
export function readPandapower(text: string): ReadGrid {
  const tables = readTables(text)
  const joined = joinBuses(tables)
  let highest = tables.list('bus').reduce((most, { index }) => Math.max(most, index + 1), 0)
  const nextId = () => {
    highest += 1
    return highest
  }
  const draft: Draft = { tables, joined, nextId, buses: new Map(), branches: [], generators: [], warnings: [] }
  readBuses(draft)
  const slack = readMachines(draft)
  readInjections(draft)
  readBranches(draft)
  for (const table of unknown) {
    const places = listInService(draft, table).map(({ place }) => place)
    if (places.length > 0) draft.warnings.push(`${places.join(', ')}: left out, this model has no ${table}`)
  }
  const { name, baseMva, f0Hz } = tables
  const { generators, branches, warnings } = draft
  const buses = [...draft.buses.values()]
  return { name, format: 'pandapower network', baseMva, f0Hz, ...slack, buses, generators, branches, warnings }
}

/** Finds the buses that closed switches make one; one that is out of service stays apart. */
function joinBuses(tables: Tables): ReadonlyMap<number, number> {
  const joined = new Map(tables.list('bus').map(({ index }) => [index, index]))
  const live = new Set(listInService({ tables }, 'bus').map(({ index }) => index))
  const nextOf = (bus: number) => joined.get(bus) ?? bus
  // A part is a tree of buses with its name at the root; each look-up halves the ways to it.
  const findPart = (bus: number) => {
    let at = bus
    for (; nextOf(at) !== at; at = nextOf(at)) joined.set(at, nextOf(nextOf(at)))
    return at
  }
  for (const element of tables.list('switch')) {
    if (element.text('et') !== 'b' || !element.flag('closed', true)) continue
    const [one, other] = [element.number('bus'), element.number('element')]
    if (!joined.has(one) || !joined.has(other)) throw unknownBus(element)
    if (live.has(one) && live.has(other)) joined.set(findPart(other), findPart(one))
  }
  return new Map([...joined.keys()].map((bus) => [bus, findPart(bus)]))
}

function readBuses(draft: Draft): void {
  const { joined, buses } = draft
  const areas = new Map<string, number>()
  for (const element of listInService(draft, 'bus')) {
    const id = (joined.get(element.index) ?? element.index) + 1
    if (buses.has(id)) continue
    const zone = element.text('zone')
    if (!areas.has(zone)) areas.set(zone, areas.size + 1)
    const place = readPlace(element)
    buses.set(id, {
      id,
      ...noPower,
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

function readMachines(draft: Draft): Pick<ReadGrid, 'slackBus' | 'slackAngleDeg'> {
  const { generators, warnings } = draft
  let slack: Pick<ReadGrid, 'slackBus' | 'slackAngleDeg'> | undefined
  for (const table of ['ext_grid', 'gen'] as const) {
    for (const element of listInService(draft, table)) {
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
