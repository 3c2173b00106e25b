/** A case as a network of pandapower, in the JSON that its `from_json` reads. */

import { type CaseRow, type CaseTables, readRows } from '../network/case-tables.ts'
import { type Row, writeFrame } from './pandapower-frame.ts'

/**
 * Writes a case: bus n is bus n - 1 of pandapower, at 1 kV where it has no voltage. A line is one kilometre long; a
 * branch with a ratio, a shift or two voltages is a transformer, whose charging is two shunts.
 */
export function writePandapower(tables: CaseTables): string {
  const buses = readRows('buses', tables.buses)
  const kv = new Map(buses.map(({ id, baseKv }) => [id, baseKv === 0 ? 1 : baseKv]))
  const generators = readRows('generators', tables.generators)
  const branches = readRows('branches', tables.branches)
  const isLine = ({ from, to, ratio, shiftDeg }: Branch) =>
    (ratio === 0 || ratio === 1) && shiftDeg === 0 && kv.get(from) === kv.get(to)
  const transformers = branches.filter((branch) => !isLine(branch))
  const network = {
    name: tables.name,
    f_hz: tables.f0Hz,
    sn_mva: tables.baseMva,
    format_version: '3.1.0',
    version: '3.1.0',
    bus: writeBuses(buses, kv),
    load: writeLoads(buses),
    shunt: writeShunts(buses, transformers, tables.baseMva, kv),
    ext_grid: writeSlack(generators, tables),
    gen: writeGenerators(generators, tables),
    line: writeFrame(branches.filter(isLine).map((branch) => writeLine(branch, tables, kv.get(branch.from) ?? 1))),
    trafo: writeFrame(transformers.map((branch) => writeTransformer(branch, tables, kv))),
  }
  return JSON.stringify({ _module: 'pandapower.auxiliary', _class: 'pandapowerNet', _object: network })
}

type Bus = CaseRow<'buses'>
type Branch = CaseRow<'branches'>
type Generator = CaseRow<'generators'>
/** Rated voltages in kV by bus. */
type Voltages = ReadonlyMap<number, number>

function writeBuses(buses: readonly Bus[], kv: Voltages) {
  const rows = buses.map(({ id, area, x, y, vMaxPu, vMinPu }) => ({
    name: String(id),
    vn_kv: kv.get(id) ?? 1,
    type: 'b',
    zone: String(area),
    in_service: true,
    max_vm_pu: vMaxPu,
    min_vm_pu: vMinPu,
    geo: JSON.stringify({ coordinates: [x, y], type: 'Point' }),
  }))
  return writeFrame(
    rows,
    buses.map(({ id }) => id - 1),
  )
}

function writeLoads(buses: readonly Bus[]) {
  const loads = buses.filter(({ pMw, qMvar }) => pMw !== 0 || qMvar !== 0)
  return writeFrame(
    loads.map(({ id, pMw, qMvar }) => ({
      name: null,
      bus: id - 1,
      p_mw: pMw,
      q_mvar: qMvar,
      scaling: 1,
      in_service: true,
      sn_mva: null,
      type: 'wye',
      const_z_p_percent: 0,
      const_z_q_percent: 0,
      const_i_p_percent: 0,
      const_i_q_percent: 0,
    })),
  )
}

function writeShunts(buses: readonly Bus[], transformers: readonly Branch[], baseMva: number, kv: Voltages) {
  const own = buses.filter(({ gMw, bMvar }) => gMw !== 0 || bMvar !== 0)
  const charged = transformers.filter(({ b }) => b !== 0)
  return writeFrame([
    ...own.map(({ id, gMw, bMvar }) => shunt(id, gMw, bMvar, kv)),
    ...charged.flatMap((branch) => chargingShunts(branch, baseMva, kv)),
  ])
}

function writeSlack(generators: readonly Generator[], { slackBus, slackAngleDeg }: CaseTables) {
  const units = generators.filter(({ bus }) => bus === slackBus)
  return writeFrame(units.map((unit) => ({ ...limits(unit), va_degree: slackAngleDeg, slack_weight: 1 })))
}

function writeGenerators(generators: readonly Generator[], { slackBus }: CaseTables) {
  const units = generators.filter(({ bus }) => bus !== slackBus)
  return writeFrame(
    units.map((unit) => ({
      ...limits(unit),
      p_mw: unit.pMw,
      sn_mva: unit.machineMva,
      scaling: 1,
      slack: false,
      slack_weight: 0,
      type: null,
      controllable: true,
    })),
  )
}

function shunt(bus: number, gMw: number, bMvar: number, kv: Voltages): Row {
  return {
    bus: bus - 1,
    name: null,
    q_mvar: -bMvar,
    p_mw: gMw,
    vn_kv: kv.get(bus) ?? 1,
    step: 1,
    max_step: 1,
    in_service: true,
  }
}

function chargingShunts({ from, to, b, ratio }: Branch, baseMva: number, kv: Voltages): readonly Row[] {
  const half = (b / 2) * baseMva
  const turns = ratio === 0 ? 1 : ratio
  return [shunt(from, 0, half / turns ** 2, kv), shunt(to, 0, half, kv)]
}

function limits({ bus, vSetpointPu, pMaxMw, pMinMw, qMaxMvar, qMinMvar }: Generator): Row {
  return {
    name: null,
    bus: bus - 1,
    vm_pu: vSetpointPu,
    in_service: true,
    max_p_mw: pMaxMw,
    min_p_mw: pMinMw,
    max_q_mvar: qMaxMvar,
    min_q_mvar: qMinMvar,
  }
}

function writeLine({ from, to, r, x, b, rateMva }: Branch, tables: CaseTables, kv: number): Row {
  const ohm = kv ** 2 / tables.baseMva
  return {
    name: null,
    std_type: null,
    from_bus: from - 1,
    to_bus: to - 1,
    length_km: 1,
    r_ohm_per_km: r * ohm,
    x_ohm_per_km: x * ohm,
    c_nf_per_km: (b / ohm / (2 * Math.PI * tables.f0Hz)) * 1e9,
    g_us_per_km: 0,
    max_i_ka: rateMva / (Math.sqrt(3) * kv),
    df: 1,
    parallel: 1,
    type: 'ol',
    in_service: true,
  }
}

/** Columns of a tap changer, which are empty: the ratio is in the rated voltages. */
const withoutTap: Row = Object.fromEntries(
  'side neutral min max pos step_percent step_degree changer_type'.split(' ').map((name) => [`tap_${name}`, null]),
)

function writeTransformer(branch: Branch, { baseMva }: CaseTables, kv: Voltages): Row {
  const { from, to, r, x, ratio, shiftDeg, rateMva } = branch
  const sn = rateMva
  const percent = (100 * sn) / baseMva
  return {
    name: null,
    std_type: null,
    hv_bus: from - 1,
    lv_bus: to - 1,
    sn_mva: sn,
    vn_hv_kv: (kv.get(from) ?? 1) * (ratio === 0 ? 1 : ratio),
    vn_lv_kv: kv.get(to) ?? 1,
    vk_percent: Math.sign(x) * Math.hypot(r, x) * percent,
    vkr_percent: r * percent,
    pfe_kw: 0,
    i0_percent: 0,
    shift_degree: shiftDeg,
    ...withoutTap,
    tap_dependency_table: false,
    parallel: 1,
    df: 1,
    in_service: true,
  }
}
