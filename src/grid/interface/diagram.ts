/** The content of a single-line diagram: three layers of quantities (true, measured, estimated), and changes of them. */

import { toDegrees } from '../angles.ts'
import type { EstimateView } from '../contract/grid.ts'
import type { View } from '../control-centre/view.ts'
import { evaluateMeasurements } from '../estimation/measurements.ts'
import { findNetwork } from '../network/find-network.ts'
import { busPosition, type Network } from '../network/network.ts'
import { islandAt } from '../plant/frequency-islands.ts'
import { isLost } from '../plant/machine-connection.ts'
import { round } from '../round.ts'
import { stepTimeUs } from '../step/step-context.ts'
import type { World } from '../step/world.ts'
import { planTelecontrol } from '../telecontrol/plan-telecontrol.ts'
import type { Telecontrol } from '../telecontrol/telecontrol.ts'

/** One quantity by the id of its bus or the number of its branch; null: no longer known. */
type Values = Readonly<Record<string, number | boolean | null>>

/** Quantities of one layer by name, with the unit in the name. */
type Layer = Readonly<Record<string, Values>>

/** A diagram at one moment, rounded to what a drawing can show, so that small noise is not a change. */
export interface Diagram {
  readonly true: Layer
  /** Values that arrived at the control centre last. */
  readonly measured: Layer
  /** The state estimate of the control centre. */
  readonly estimated: Layer
}

/** A diagram, or what changed in it since the event before. */
export interface DiagramEvent extends Diagram {
  readonly tick: number
  /** Simulated Unix seconds. */
  readonly time: number
  /** True when the event holds every quantity that exists. */
  readonly complete: boolean
}

const layers = ['true', 'measured', 'estimated'] as const

/** Decimals that a drawing shows. */
const digits = { pu: 4, deg: 2, mw: 1, percent: 1, hz: 3, share: 3 } as const

/** Describes a world as it is now. */
export function describeDiagram(world: World): Diagram {
  const network = findNetwork(world.configuration)
  return { true: describeTruth(world, network), ...describeKnown(world.view, network) }
}

function describeKnown(view: View, network: Network): Omit<Diagram, 'true'> {
  return {
    measured: describeMeasured(view, network, planTelecontrol(network)),
    estimated: view.estimate === null ? {} : describeEstimate(view, view.estimate, network),
  }
}

/** Describes what the control room knows: a diagram without true quantities. */
export function describeReceivedDiagram({ configuration, view }: Pick<World, 'configuration' | 'view'>): Diagram {
  return { true: {}, ...describeKnown(view, findNetwork(configuration)) }
}

/** The whole diagram as an event. */
export function completeDiagram(world: World, diagram: Diagram): DiagramEvent {
  return { ...describeMoment(world), complete: true, ...diagram }
}

/** Makes an event of the differences between two diagrams of one network; undefined when nothing differs. */
export function changedDiagram(world: World, before: Diagram, after: Diagram): DiagramEvent | undefined {
  const changes = layers.map((layer) => [layer, changedLayer(before[layer], after[layer])] as const)
  if (changes.every(([, layer]) => Object.keys(layer).length === 0)) return undefined
  // Every layer is named above.
  const changed = Object.fromEntries(changes) as unknown as Diagram
  return { ...describeMoment(world), complete: false, ...changed }
}

function describeMoment(world: World) {
  return { tick: world.step, time: stepTimeUs(world, world.step) / 1e6 }
}

function changedLayer(before: Layer, after: Layer): Layer {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  const changed = [...names].map((name) => [name, changedValues(before[name] ?? {}, after[name] ?? {})] as const)
  return Object.fromEntries(changed.filter(([, values]) => Object.keys(values).length > 0))
}

function changedValues(before: Values, after: Values): Values {
  const changed: Record<string, number | boolean | null> = {}
  for (const [id, value] of Object.entries(after)) if (before[id] !== value) changed[id] = value
  for (const id of Object.keys(before)) if (!(id in after) && before[id] !== null) changed[id] = null
  return changed
}

function describeTruth({ plant }: World, network: Network): Layer {
  const { solution, open, shed, frequency } = plant
  const byBus = (value: (bus: number, position: number) => number | boolean) =>
    Object.fromEntries(network.buses.map(({ id }, position) => [id, value(id, position)]))
  return {
    vm_pu: byBus((_, position) => round(solution.vmPu[position], digits.pu)),
    va_deg: byBus((_, position) => round(toDegrees(solution.vaRad[position] ?? 0), digits.deg)),
    frequency_hz: Object.fromEntries(
      frequency.islands.map(({ buses, collapsed, frequencyHz }) => [
        Math.min(...buses),
        collapsed ? 0 : round(frequencyHz, digits.hz),
      ]),
    ),
    energized: byBus((bus, position) => islandAt(frequency, bus) !== undefined && (solution.vmPu[position] ?? 0) > 0),
    load_tripped: Object.fromEntries(network.loads.map(({ bus }) => [bus, shed[bus] === 1])),
    load_shed: Object.fromEntries(network.loads.map(({ bus }) => [bus, round(shed[bus], digits.share)])),
    machine_connected: Object.fromEntries(network.generators.map(({ bus }, index) => [bus, !isLost(plant, index)])),
    generation_mw: generationByBus(network, solution.generators),
    flow_mw: byBranch(network, (index) => round(solution.branches[index]?.fromMw, digits.mw)),
    loading_percent: byBranch(network, (index) => {
      const rate = network.branches[index]?.rateMva ?? 0
      return rate > 0 ? round(((solution.branches[index]?.loadingMva ?? 0) / rate) * 100, digits.percent) : 0
    }),
    closed: byBranch(network, (index) => !open.includes(network.branches[index]?.number ?? 0)),
  }
}

function generationByBus(network: Network, machines: readonly ({ readonly pMw: number } | undefined)[]): Values {
  const sums: Record<string, number> = {}
  network.generators.forEach(({ bus }, index) => {
    sums[bus] = round((sums[bus] ?? 0) + (machines[index]?.pMw ?? 0), digits.mw)
  })
  return sums
}

function describeMeasured(view: View, network: Network, plan: Telecontrol): Layer {
  const points = plan.outstations.flatMap((station) => station.points)
  const listValues = (kind: 'v' | 'p_flow', scale: number, decimals: number): Values =>
    Object.fromEntries(
      points
        .filter((point) => point.kind === kind && view.values[point.name] !== undefined)
        .map(({ element, name }) => [element, round((view.values[name] ?? 0) * scale, decimals)]),
    )
  const units = plan.pmus.flatMap(({ node, bus }) => {
    const last = view.phasors[node]
    return last === undefined ? [] : [{ bus, last }]
  })
  return {
    vm_pu: listValues('v', 1, digits.pu),
    flow_mw: listValues('p_flow', network.baseMva, digits.mw),
    closed: { ...view.closed },
    phasor_vm_pu: Object.fromEntries(
      units.map(({ bus, last }) => [bus, round(last.phasors[0]?.magnitudePu, digits.pu)]),
    ),
    frequency_hz: Object.fromEntries(units.map(({ bus, last }) => [bus, round(last.frequencyHz, digits.hz)])),
  }
}

function describeEstimate({ closed }: View, { vmPu, vaRad }: EstimateView, network: Network): Layer {
  const points = network.branches.map(
    ({ number }) => ({ kind: 'p_flow', branch: number, side: 'from', sigma: 1 }) as const,
  )
  const flows = evaluateMeasurements(network, points, { vmPu, vaRad })
  const byBus = (values: readonly number[], decimals: number) =>
    Object.fromEntries(network.buses.map(({ id }) => [id, round(values[busPosition(network, id)], decimals)]))
  return {
    vm_pu: byBus(vmPu, digits.pu),
    va_deg: byBus(vaRad.map(toDegrees), digits.deg),
    flow_mw: byBranch(network, (index) =>
      closed[network.branches[index]?.number ?? 0] === false
        ? 0
        : round((flows[index] ?? 0) * network.baseMva, digits.mw),
    ),
  }
}

function byBranch(network: Network, value: (index: number) => number | boolean): Values {
  return Object.fromEntries(network.branches.map(({ number }, index) => [number, value(index)]))
}
