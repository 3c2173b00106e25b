/** Supervises the telemetry: breakers that moved without an order, dead buses, load that was lost. */

import { memo } from '../../base/memo.ts'
import { stepsPerSecond } from '../configuration.ts'
import { meterSigma } from '../estimation/measurements.ts'
import { profileShare } from '../network/load-profile.ts'
import type { Network } from '../network/network.ts'
import type { Outstation } from '../telecontrol/telecontrol.ts'
import { raise } from './alarms.ts'
import type { ControlCentre } from './context.ts'
import { type Finding, found } from './detection.ts'

/** Below this voltage in per unit a bus is dead. */
const deadPu = 0.5

/** Loss that is an alarm: as a share of the expected load, and in standard deviations of the sum of the meters. */
const lossLimit = { share: 0.05, deviations: 6 } as const

/** The share of the difference by which the expected load follows the measured one, from scan to scan. */
const learningRate = 0.3

/** Records a state that the control centre ordered: the breaker's move to it raises no alarm. */
export function expectBreaker(
  { world }: { readonly world: Pick<ControlCentre['world'], 'view'> },
  branch: number,
  closed: boolean,
): void {
  world.view.ordered = { ...world.view.ordered, [branch]: closed }
  world.view.switched = true
}

/** Records that the control centre ordered another load; the expected one is learned again from the next scan on. */
export function expectLoad({ view, step }: Pick<ControlCentre['world'], 'view' | 'step'>): void {
  view.loadPerForecast = null
  view.loadOrderedStep = step
}

/** Compares a reported breaker with what was ordered: closed where nothing was. */
export function superviseBreaker(context: ControlCentre, { node }: Outstation, branch: number, closed: boolean): void {
  const state = closed ? 'closed' : 'open'
  const where = context.plan.breakerNames.get(branch) ?? `branch ${branch}`
  const text = `${node} reports it ${state}, and the control centre did not order that`
  const { ordered, switched } = context.world.view
  const isExpected = closed === (ordered[branch] ?? true)
  // In the scan of an order a report may be from before it: the next scan tells.
  if (!isExpected && switched && ordered[branch] !== undefined) return
  const moved = found('breaker', where, text, { state, outstation: node })
  raise(context, `breaker ${branch}`, isExpected ? [] : [moved])
}

/** Tests the voltage of an outstation's bus when its values have arrived. */
export function superviseVoltage(context: ControlCentre, { node, bus, points }: Outstation): void {
  const { values } = context.world.view
  const name = points.find(({ kind }) => kind === 'v')?.name
  const value = name === undefined ? undefined : values[name]
  if (value === undefined) return
  const evidence = { voltage_pu: Number(value.toFixed(4)), limit_pu: deadPu }
  const dead = found('dead_bus', `bus ${bus}`, `${node} reports ${value.toFixed(3)} pu: the bus is dead`, evidence)
  raise(context, `voltage ${bus}`, value < deadPu ? [dead] : [])
}

/** Names of the injections of the buses that consume and do not generate. */
const listConsumers = memo((network: Network): readonly string[] => {
  const generating = new Set(network.generators.map(({ bus }) => bus))
  return network.loads.filter(({ bus, pMw }) => pMw > 0 && !generating.has(bus)).map(({ bus }) => `Pinj_${bus}`)
})

/** Finds the measured load too small; the alarm has megawatts to one digit. */
function lostLoad(
  { baseMva }: Network,
  { measuredPu, expectedPu, limitPu }: Readonly<Record<'measuredPu' | 'expectedPu' | 'limitPu', number>>,
): Finding {
  const mw = (pu: number) => Math.round(pu * baseMva * 10) / 10
  const text = `the measured load is ${mw(measuredPu)} MW, expected ${mw(expectedPu)} MW`
  const evidence = { measured_mw: mw(measuredPu), expected_mw: mw(expectedPu), limit_mw: mw(limitPu) }
  return found('lost_load', 'load', text, evidence)
}

/** Compares the measured load of a scan with the forecast, scaled by the scans before. */
export function superviseLoad(context: ControlCentre): void {
  const { world, network } = context
  const { view, configuration } = world
  // Values from before an order say nothing about the load after it.
  if (world.step - configuration.scan_s * stepsPerSecond < view.loadOrderedStep) return
  const values = listConsumers(network).map((name) => view.values[name])
  if (values.length === 0 || values.includes(undefined)) return
  const measuredPu = values.reduce<number>((sum, value) => sum - (value ?? 0), 0)
  const seconds = configuration.start_hour * 3600 + (world.step / stepsPerSecond) * configuration.load_speed
  const forecast = profileShare(configuration.day, seconds)
  const known = view.loadPerForecast ?? measuredPu / forecast
  const expectedPu = known * forecast
  const noisePu = lossLimit.deviations * meterSigma.p_inj * Math.sqrt(values.length)
  const limitPu = Math.max(lossLimit.share * expectedPu, noisePu)
  const isLost = expectedPu - measuredPu > limitPu
  const loss = lostLoad(network, { measuredPu, expectedPu, limitPu })
  raise(context, 'load', isLost ? [loss] : [])
  // The expectation does not follow a loss: the loss is one alarm until the load returns.
  if (!isLost) view.loadPerForecast = known + learningRate * (measuredPu / forecast - known)
}
