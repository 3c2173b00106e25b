/** Checks a scenario as a whole, and makes the session that plays it. */

import { messageOf } from '../../base/errors.ts'
import { isRecord } from '../../base/json.ts'
import { suggest } from '../../base/nearest.ts'
import { type Configuration, defaultConfiguration, type SessionDocument, toSessionDocument } from '../configuration.ts'
import { findMistakes, type PlaceMistake } from '../interface/body-mistakes.ts'
import { assertSessionNetwork } from '../network/assert-network.ts'
import { caseNames, isCaseName } from '../network/cases/catalogue.ts'
import { findNetwork } from '../network/find-network.ts'
import { planTelecontrol } from '../telecontrol/plan-telecontrol.ts'
import { findContradictions, findOverlaps } from './contradictions.ts'
import { findLateTimes, findMixedEntries } from './entries.ts'
import type { Places } from './mistakes.ts'
import { attackCommands, mostCommands, planAttacks, planOrders, stepAt } from './orders.ts'
import { findDangling } from './references.ts'
import { type Scenario, scenarioShape } from './shape.ts'

/** A scenario that was checked. */
export interface CheckedScenario {
  readonly scenario: Scenario
  /** The session that plays it: configuration, commands and steps. */
  readonly session: SessionDocument
  /** The engine's id of each attack that has a name in the scenario. */
  readonly attackIds: ReadonlyMap<string, string>
}

/** A scenario, or every mistake that was found; mistakes of the shape hide those of names and times. */
export type ReadScenario<Mistake> =
  | { readonly ok: true; readonly checked: CheckedScenario }
  | { readonly ok: false; readonly mistakes: readonly Mistake[] }

/** Tests that a value may be a scenario on an imported network whose tables it lacks. */
export function namesNetwork(value: unknown): value is { readonly network: string } {
  if (!isRecord(value) || value.tables !== undefined) return false
  return typeof value.network === 'string' && !isCaseName(value.network)
}

/** Checks a scenario as a value. */
export function checkScenario(value: unknown): ReadScenario<PlaceMistake> {
  const parsed = scenarioShape.safeParse(value)
  if (!parsed.success) {
    return { ok: false, mistakes: findMistakes(scenarioShape, value, parsed.error, { name: 'the scenario' }) }
  }
  const scenario = parsed.data
  const places = findPlaces(scenario)
  if ('path' in places) return { ok: false, mistakes: [places] }
  const mistakes: PlaceMistake[] = []
  findMixedEntries(scenario, mistakes)
  findLateTimes(scenario, mistakes)
  const attacks = planAttacks(scenario, places, mistakes)
  const orders = planOrders(scenario, places, mistakes)
  findOverlaps(attacks, places, mistakes)
  findContradictions(orders, mistakes)
  findDangling(scenario, places, attacks, mistakes)
  const steps = stepAt(scenario.duration)
  const commands = [...orders.map(({ command }) => command), ...attackCommands(attacks, steps)]
  if (commands.length > mostCommands) {
    const text = `the scenario has more than ${mostCommands} commands, background included`
    mistakes.push({ path: ['background'], text })
  }
  if (mistakes.length > 0) return { ok: false, mistakes }
  const attackIds = new Map(attacks.flatMap(({ id, order }) => (id === undefined ? [] : [[id, order.attack_id]])))
  // Stable: at one step the background comes first, then the timeline as it is written, then attacks.
  commands.sort((one, other) => one.step - other.step)
  const session = toSessionDocument({ configuration: toConfiguration(scenario), commands, steps })
  return { ok: true, checked: { scenario, session, attackIds } }
}

/** Finds the grid and its devices, or says what is wrong with the network. */
function findPlaces(scenario: Scenario): Places | PlaceMistake {
  const { network: name, tables } = scenario
  if (tables === undefined && !isCaseName(name)) {
    const state = `network is "${name}", which is neither built in nor imported`
    return { path: ['network'], text: `${state}, ${suggest(name, caseNames)}` }
  }
  try {
    const network = findNetwork(toConfiguration(scenario))
    assertSessionNetwork(network)
    return { network, plan: planTelecontrol(network) }
  } catch (error) {
    return { path: ['tables'], text: `tables: ${messageOf(error)}` }
  }
}

function toConfiguration({ network, tables, seed, start, load, settings }: Scenario): Configuration {
  const usual = defaultConfiguration
  return {
    ...usual,
    ...settings,
    day: load.day ?? usual.day,
    start_hour: load.hour ?? usual.start_hour,
    load_scale: load.scale ?? usual.load_scale,
    load_speed: load.speed ?? usual.load_speed,
    load_noise: load.noise ?? usual.load_noise,
    case: network,
    ...(tables !== undefined && { network: tables }),
    seed,
    start_time: Date.parse(start) / 1000,
  }
}
