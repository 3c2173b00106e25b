/** Tests the checks of a scenario against its session as it runs. */

import { toDegrees } from '../angles.ts'
import { gridSummary, type World } from '../engine.ts'
import { busPosition, type Network } from '../network/network.ts'
import type { Telecontrol } from '../telecontrol/telecontrol.ts'
import type { Check } from './shape.ts'

/** The alarm of a detector, with its time in seconds from the start. */
export interface RaisedAlarm {
  readonly atS: number
  readonly detector: string
  readonly where: string
}

/** The session at the moment of a check. */
export interface Moment {
  readonly world: World
  readonly network: Network
  readonly plan: Telecontrol
  readonly alarms: readonly RaisedAlarm[]
  /** Frames of each attack so far, by its id in the scenario. */
  readonly attackFrames: ReadonlyMap<string, number>
}

/** The result of a check: passed or not, and what was found. */
export interface Finding {
  readonly passed: boolean
  readonly found: string
}

/** Tests a check that `checkScenario` has taken. */
export function testCheck(check: Check, moment: Moment): Finding {
  if (check.alarm !== undefined || check.no_alarm !== undefined) return testAlarm(check, moment)
  if (check.breaker !== undefined) return testBreaker(check.breaker, check, moment)
  const { name, value } = measure(check, moment)
  if (value === undefined) return { passed: false, found: `${name} is not known` }
  const passed = value >= (check.min ?? Number.NEGATIVE_INFINITY) && value <= (check.max ?? Number.POSITIVE_INFINITY)
  return { passed, found: `${name} is ${Number(value.toPrecision(6))}, expected ${describeBounds(check)}` }
}

function describeBounds({ min, max }: Check): string {
  if (min === undefined) return `at most ${max}`
  return max === undefined ? `at least ${min}` : `${min} to ${max}`
}

function testAlarm({ alarm: wanted, no_alarm: unwanted, where, since = 0 }: Check, { alarms }: Moment): Finding {
  const detector = wanted ?? unwanted
  const isMeant = (alarm: RaisedAlarm) =>
    alarm.atS >= since && (detector === 'any' || alarm.detector === detector) && (where ?? alarm.where) === alarm.where
  const found = alarms.filter(isMeant)
  const [first] = found
  const place = where === undefined ? '' : ` at ${where}`
  const seen =
    first === undefined
      ? 'none'
      : `${found.length}, the first at ${first.atS.toFixed(1)} s of ${first.detector} at ${first.where}`
  return {
    passed: (wanted !== undefined) === found.length > 0,
    found: `alarms of ${detector}${place} from ${since} s: ${seen}, expected ${wanted === undefined ? 'none' : 'one'}`,
  }
}

function testBreaker(breaker: string, { is, of }: Check, { world, plan }: Moment): Finding {
  const branch = plan.branchByBreaker.get(breaker) ?? 0
  const closed = of === 'measured' ? (world.view.closed[branch] ?? true) : !world.plant.open.includes(branch)
  const state = closed ? 'closed' : 'open'
  const verb = of === 'measured' ? 'was last reported' : 'is'
  return { passed: state === is, found: `${breaker} ${verb} ${state}, expected ${is}` }
}

interface Measured {
  readonly name: string
  readonly value: number | undefined
}

function measure(check: Check, moment: Moment): Measured {
  const { world, attackFrames } = moment
  if (check.grid !== undefined) return { name: check.grid, value: gridSummary(world)[check.grid] }
  if (check.attack !== undefined) {
    return { name: `the number of frames of ${check.attack}`, value: attackFrames.get(check.attack) ?? 0 }
  }
  if (check.bus !== undefined) return measureBus(check.bus, check, moment)
  const { estimate } = world.view
  return { name: 'J over its limit', value: estimate === null ? undefined : estimate.objective / estimate.threshold }
}

function measureBus(bus: number, { quantity = 'vm_pu', of = 'truth' }: Check, { world, network }: Moment): Measured {
  const { view, plant } = world
  const at = busPosition(network, bus)
  const slack = busPosition(network, network.slackBus)
  const read = (state: { readonly vmPu: readonly number[]; readonly vaRad: readonly number[] } | null) => {
    if (state === null) return undefined
    if (quantity === 'vm_pu') return state.vmPu[at]
    // Relative to the slack, whose angle turns with the frequency.
    return toDegrees((state.vaRad[at] ?? 0) - (state.vaRad[slack] ?? 0))
  }
  const name = `${quantity} of bus ${bus}${of === 'truth' ? '' : ` (${of})`}`
  if (of === 'truth') return { name, value: read(plant.solution) }
  if (of === 'measured') return { name, value: view.values[`V_${bus}`] }
  const [estimated, truth] = [read(view.estimate), read(plant.solution)]
  if (of === 'estimated' || estimated === undefined || truth === undefined) return { name, value: estimated }
  return { name, value: Math.abs(estimated - truth) }
}
