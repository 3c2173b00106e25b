/** Limit alarms for operators: measured voltages, loadings and frequencies that are beyond their limits. */

import { memo } from '../../base/memo.ts'
import type { LimitAlarm } from '../contract/grid.ts'
import type { Network } from '../network/network.ts'
import { solvePowerFlow } from '../power-flow/power-flow.ts'
import type { Outstation } from '../telecontrol/telecontrol.ts'
import type { ControlCentre } from './context.ts'
import { isLive, livePu } from './detection.ts'
import { type LimitState, maximumAlarms, type PhasorView } from './view.ts'

/** A limit on one side: where an alarm of each priority begins, and how far inside the value must return. */
interface Limit {
  readonly medium: number
  readonly high: number
  readonly deadBand: number
}

/** Limits of loading in percent of the rating, and of frequency in Hz from nominal: design rules. */
const loadingLimit: Limit = { medium: 100, high: 120, deadBand: 5 }
const frequencyLimit: Limit = { medium: 0.2, high: 0.5, deadBand: 0.05 }

/** Tests in a row that must agree before an alarm begins or ends: a single value of a meter raises none. */
const confirmations = 2

/** More alarms than this from one place within so many seconds are chattering: further ones are counted, not raised. */
const chattering = { most: 3, seconds: 600 } as const

/** Voltages of each bus in per unit: 10 % from nominal, or 0.04 pu beyond the case's own solution if that is further. */
const voltageLimits = memo((network: Network) => {
  const { vmPu } = solvePowerFlow(network)
  return new Map(
    network.buses.map(({ id }, position) => {
      const usual = vmPu[position] ?? 1
      const [low, high] = [Math.min(0.9, usual - 0.04), Math.max(1.1, usual + 0.04)]
      // Both sides grow: a low voltage is one whose negative is large.
      const from = (medium: number): Limit => ({ medium, high: medium + 0.05, deadBand: 0.01 })
      return [id, { low: from(-low), high: from(high) }] as const
    }),
  )
})

/** Tests the voltage and the loadings that an outstation has just reported. */
export function superviseLimits(context: ControlCentre, { bus, points }: Outstation): void {
  const { network } = context
  const { values } = context.world.view
  const findValue = (kind: Outstation['points'][number]['kind'], element: number): number | undefined => {
    const name = points.find((point) => point.kind === kind && point.element === element)?.name
    return name === undefined ? undefined : values[name]
  }
  const voltage = findValue('v', bus)
  const limits = voltageLimits(network).get(bus)
  if (voltage !== undefined && limits !== undefined) {
    // A dead bus has another alarm.
    const low = voltage < livePu ? Number.NEGATIVE_INFINITY : -voltage
    const reading = { kind: 'voltage', where: `bus ${bus}`, value: voltage } as const
    judge(context, { key: `low voltage ${bus}`, ...reading }, low, limits.low)
    judge(context, { key: `high voltage ${bus}`, ...reading }, voltage, limits.high)
  }
  for (const { kind, element } of points) {
    const [p, q] = [findValue('p_flow', element), findValue('q_flow', element)]
    const rateMva = network.branches[element - 1]?.rateMva ?? 0
    if (kind !== 'p_flow' || p === undefined || q === undefined || rateMva <= 0) continue
    const percent = (Math.hypot(p, q) * network.baseMva * 100) / rateMva
    const where = (context.plan.breakerNames.get(element) ?? `branch ${element}`).replace(/^CB-/, '')
    judge(context, { key: `loading ${element}`, kind: 'loading', where, value: percent }, percent, loadingLimit)
  }
}

/** Tests the frequency of each island: the middle one of its live units, which one false unit does not move. */
export function superviseFrequency(
  context: ControlCentre,
  islands: readonly (readonly number[])[],
  units: readonly { readonly bus: number; readonly unit: PhasorView }[],
): void {
  const { f0Hz } = context.network
  const former = new Set(Object.keys(context.world.view.limits).filter((key) => key.startsWith('frequency ')))
  for (const buses of islands) {
    const [first] = buses
    const key = `frequency ${first}`
    former.delete(key)
    const here = units.filter(({ bus }) => buses.includes(bus)).map(({ unit }) => unit)
    if (here.length === 0) continue
    const hertz = here.filter(isLive).map(({ frequencyHz }) => frequencyHz)
    // An island without voltage has another alarm.
    const value = hertz.sort((a, b) => a - b)[Math.floor(hertz.length / 2)] ?? f0Hz
    const reading = { key, kind: 'frequency', where: `island of bus ${first}`, value } as const
    judge(context, reading, Math.abs(value - f0Hz), frequencyLimit)
  }
  // The buses of these belong to other islands now.
  for (const key of former) judge(context, { key, kind: 'frequency', where: '', value: 0 }, 0, frequencyLimit)
}

/** A measured value as an alarm shows it. */
interface Reading extends Pick<LimitAlarm, 'kind' | 'where' | 'value'> {
  /** Names the limit and its place, such as `low voltage 14`. */
  readonly key: string
}

/** The unit of each kind of alarm, and the digits that its text shows. */
const shownUnits = {
  voltage: { unit: 'pu', digits: 3 },
  loading: { unit: '%', digits: 0 },
  frequency: { unit: 'Hz', digits: 3 },
} as const satisfies Record<LimitAlarm['kind'], object>

const priorities = ['medium', 'high'] as const

/** Judges a distance that grows towards a limit: an alarm begins, rises or ends after two tests that agree. */
function judge(context: ControlCentre, reading: Reading, distance: number, limit: Limit): void {
  const { limits } = context.world.view
  const { key } = reading
  const state = limits[key]
  const level = findLevel(distance, limit, state?.level ?? 0)
  if (state === undefined && level === 0) return
  const before: LimitState = state ?? { level: 0, tests: 0, raisedUs: [] }
  if (level === before.level) {
    if (level === 0 && before.raisedUs.every((us) => isLongAgo(context, us))) delete limits[key]
    else limits[key] = { ...before, tests: 0 }
    return
  }
  const tests = before.tests + 1
  if (tests < confirmations) limits[key] = { ...before, tests }
  else limits[key] = enterLevel(context, reading, before, level)
}

function findLevel(value: number, { medium, high, deadBand }: Limit, before: number): number {
  // A level that is in force ends only inside its dead band.
  if (value > high - (before === 2 ? deadBand : 0)) return 2
  return value > medium - (before >= 1 ? deadBand : 0) ? 1 : 0
}

function isLongAgo({ startUs }: ControlCentre, us: number): boolean {
  return startUs - us >= chattering.seconds * 1e6
}

/** Puts another level into force; only a higher one raises an alarm. */
function enterLevel(context: ControlCentre, reading: Reading, before: LimitState, level: number): LimitState {
  const { view } = context.world
  if (level === 0) {
    view.limitAlarms = view.limitAlarms.map((alarm) =>
      alarm.key === reading.key ? { ...alarm, active: false } : alarm,
    )
  }
  const priority = priorities[level - 1]
  if (level < before.level || priority === undefined) return { ...before, level, tests: 0 }
  const raisedUs = before.raisedUs.filter((us) => !isLongAgo(context, us))
  if (raisedUs.length >= chattering.most) {
    view.limitAlarmsSuppressed += 1
    return { level, tests: 0, raisedUs }
  }
  raiseLimitAlarm(context, reading, priority)
  return { level, tests: 0, raisedUs: [...raisedUs, context.startUs] }
}

function raiseLimitAlarm(
  { world: { view }, startUs, events }: ControlCentre,
  { key, kind, where, value }: Reading,
  priority: LimitAlarm['priority'],
): void {
  const { unit, digits } = shownUnits[kind]
  view.lastAlarm += 1
  const number = view.lastAlarm
  const alarm: Omit<LimitAlarm, 'number'> = {
    timestamp: startUs / 1e6,
    priority,
    kind,
    where,
    value: Number(value.toFixed(4)),
    text: `${kind} ${value.toFixed(digits)} ${unit}`,
    active: true,
    acknowledged: false,
  }
  view.limitAlarms = [...view.limitAlarms, { number, key, ...alarm }].slice(-maximumAlarms)
  events.push({ topic: 'grid', audience: 'all', data: { event: 'limit', number, ...alarm } })
}
