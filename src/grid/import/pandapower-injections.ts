/** Elements of pandapower at one bus: loads, static generators, motors, shunts and wards. */

import { addBus, type Building, type Draft, findBus, listInService } from './pandapower-draft.ts'
import type { Element } from './pandapower-tables.ts'

/** Reads what takes or gives power at a bus: constant power as a load, constant impedance as a fixed admittance. */
export function readInjections(draft: Draft): void {
  const { warnings } = draft
  const each = (table: string, read: (element: Element, bus: Building) => void) => {
    for (const element of listInService(draft, table)) {
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
    const scaling = element.number('scaling', 1)
    const [p, q] = [element.number('p_mw') * scaling, element.number('q_mvar', 0) * scaling]
    const [zp, zq] = [readShare(element, 'const_z', 'p'), readShare(element, 'const_z', 'q')]
    bus.pMw += p * (1 - zp)
    bus.qMvar += q * (1 - zq)
    bus.gMw += p * zp
    bus.bMvar -= q * zq
    if (readShare(element, 'const_i', 'p') + readShare(element, 'const_i', 'q') > 0)
      warnings.push(`${element.place}: its constant current is taken as constant power`)
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
