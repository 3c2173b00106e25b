/** The topology: the devices with their links, and the grid that they measure and switch. */

import { findAttack } from '../attacks/catalogue.ts'
import { toParams } from '../attacks/definition.ts'
import type { AttackOrder } from '../configuration.ts'
import type { ControlRoomTopology } from '../contract/control-room.ts'
import type { Device, Link, Topology } from '../contract/grid.ts'
import { findNetwork } from '../network/find-network.ts'
import { busPosition, type Network } from '../network/network.ts'
import type { Plant } from '../plant/state.ts'
import { protocols } from '../protocols/catalogue.ts'
import type { World } from '../step/world.ts'
import { planTelecontrol } from '../telecontrol/plan-telecontrol.ts'
import {
  listLinks,
  type Outstation,
  type PmuSite,
  type ProtectionIed,
  type Telecontrol,
} from '../telecontrol/telecontrol.ts'
import { type BreakerState, describeGrid, describePlan } from './grid-values.ts'

/** Name and version of the topology's format. */
export const topologyFormat = { format: 'GridSecSim', version: 2 } as const

/** Describes a world as it is now. */
export function describeTopology(world: World): Topology {
  const network = findNetwork(world.configuration)
  const plan = planTelecontrol(network)
  const newest = world.attacks.at(-1)
  const stateOf = (branch: number) => (world.plant.open.includes(branch) ? 'open' : 'closed')
  return {
    ...topologyFormat,
    nodes: [...deviceNodes(world, network, plan, stateOf), ...threatNodes(world, plan)],
    links: describeLinks(plan, (id) =>
      world.attacks.filter(({ order }) => isOnLink(order, plan, id)).map(({ order }) => order.attack_id),
    ),
    simulation: {
      type: newest?.order.type ?? 'NONE',
      params: newest?.order.params ?? {},
      enabled: newest !== undefined,
      schedule: { ...(newest?.order.schedule ?? { start_frame: 0, duration_frames: 0 }) },
      scope: newest?.order.target_link ? 'selected' : 'all',
      selected_link: newest?.order.target_link ?? null,
    },
    grid: describeGrid(world, network, plan),
  }
}

/** The parts of a world that the control room knows: nothing of the plant, its taps aside, and of attacks. */
export type KnownWorld = Pick<World, 'configuration' | 'view'> & { readonly plant: Pick<Plant, 'taps'> }

/** Describes the devices, and the grid as its plan and the reports of its breakers have it. */
export function describeKnownTopology(world: KnownWorld): ControlRoomTopology {
  const network = findNetwork(world.configuration)
  const plan = planTelecontrol(network)
  const { closed } = world.view
  const stateOf = (branch: number) => (closed[branch] === undefined ? undefined : closed[branch] ? 'closed' : 'open')
  return {
    ...topologyFormat,
    nodes: deviceNodes(world, network, plan, stateOf),
    links: describeLinks(plan, () => []),
    grid: describePlan(network, plan, world.plant, stateOf),
  }
}

function deviceNodes(world: KnownWorld, network: Network, plan: Telecontrol, stateOf: BreakerState): Device[] {
  return [
    controlCentreNode(plan),
    concentratorNode(plan),
    ...plan.outstations.map((outstation) => outstationNode(world, network, plan, outstation)),
    ...plan.pmus.map((site) => pmuNode(world, network, site)),
    ...plan.ieds.flatMap((ied) => bayNodes(network, plan, ied, stateOf)),
    ...plan.mergingUnits.map(({ node, host, bus, branch }) =>
      toNode({ id: node, node_type: 'CT_VT', level: 0 }, placeBeside(network, bus, 18), {
        subtype: 'CT/VT',
        mac: host.mac,
        bus,
        branch,
      }),
    ),
  ]
}

/** Describes a device; what its type does not have is the usual value. */
function toNode(
  device: Pick<Device, 'id' | 'node_type' | 'level'>,
  place: Pick<Device, 'x' | 'y'>,
  fields: Readonly<Record<string, unknown>>,
): Device {
  const { id, node_type, level } = device
  return { id, node_type, label: id, ip: '127.0.0.1', port: 0, proto: 'UDP', level, ...place, ...fields }
}

function controlCentreNode({ controlCentre }: Telecontrol): Device {
  const { node, ip, mac } = controlCentre
  const fields = { label: 'Control centre', ip, mac, port: 502, proto: 'TCP', status: 'Active' }
  return toNode({ id: node, node_type: 'STATION_HMI', level: 3 }, { x: 400, y: -120 }, fields)
}

function concentratorNode({ pdc, pmus }: Telecontrol): Device {
  const { node, ip, mac } = pdc
  const inputs = { buffer_timeout: 100, pmu_input_count: pmus.length }
  const fields = { label: 'Phasor data concentrator', ip, mac, port: 4713, ...inputs }
  return toNode({ id: node, node_type: 'PDC', level: 2 }, { x: 600, y: -120 }, fields)
}

/** Beside the bus in the drawing, so that the devices of a bus do not cover each other. */
function placeBeside(network: Network, bus: number, shift: number): { readonly x: number; readonly y: number } {
  const { x, y } = network.buses[busPosition(network, bus)] ?? { x: 0, y: 0 }
  return { x: x + shift, y: y + shift }
}

function findZone(network: Network, bus: number): number {
  return network.buses[busPosition(network, bus)]?.area ?? 1
}

function outstationNode(
  world: KnownWorld,
  network: Network,
  plan: Telecontrol,
  { node, host, bus, protocol, address, points, branches }: Outstation,
): Device {
  return toNode({ id: node, node_type: 'GATEWAY_RTU', level: 2 }, placeBeside(network, bus, 12), {
    ip: host.ip,
    mac: host.mac,
    port: protocols[protocol].ports.tcp,
    proto: 'TCP',
    protocol,
    address,
    bus,
    zone: findZone(network, bus),
    points: points.map(({ name }) => name),
    breakers: branches.map((number) => plan.breakerNames.get(number) ?? ''),
    last_heard: (world.view.heardUs[node] ?? 0) / 1e6 || null,
  })
}

function pmuNode(world: KnownWorld, network: Network, { node, host, bus, idCode, carrier }: PmuSite): Device {
  return toNode({ id: node, node_type: 'PMU', level: 1 }, placeBeside(network, bus, -12), {
    ip: host.ip,
    mac: host.mac,
    port: protocols['C37.118'].ports[carrier],
    proto: carrier === 'udp' ? 'UDP' : 'TCP',
    reporting_rate: world.configuration.pmu_rate,
    idcode: idCode,
    bus,
    zone: findZone(network, bus),
  })
}

/** The protection of a bus: its IED, its bay controller, and the breakers that they operate. */
function bayNodes(
  network: Network,
  plan: Telecontrol,
  { node, host, bus, branches }: ProtectionIed,
  stateOf: BreakerState,
): Device[] {
  const zone = findZone(network, bus)
  return [
    toNode({ id: node, node_type: 'PROTECTION_IED', level: 1 }, placeBeside(network, bus, 24), {
      port: 102,
      mac: host.mac,
      bus,
      zone,
    }),
    toNode({ id: `BAY-${bus}`, node_type: 'BCU', level: 1 }, placeBeside(network, bus, 30), { port: 102, bus, zone }),
    ...branches.map((number) => {
      const state = stateOf(number)
      const id = plan.breakerNames.get(number) ?? `CB-${number}`
      return toNode({ id, node_type: 'BREAKER', level: 0 }, placeBeside(network, bus, 36), {
        ...(state === undefined ? {} : { state }),
        branch: number,
        bus,
      })
    }),
  ]
}

function threatNodes(world: World, { attacker }: Telecontrol): Device[] {
  const { ip, mac } = attacker
  return world.attacks.map(({ order }, index) => {
    const { attack_id, type, params, schedule } = order
    const attack = { attack_type: type, attack_params: params, attack_schedule: { ...schedule } }
    const place = { x: 80 + index * 90, y: -200 }
    return toNode({ id: attack_id, node_type: 'THREAT_AGENT', level: -1 }, place, { ip, mac, active: true, ...attack })
  })
}

function describeLinks(plan: Telecontrol, attackersOn: (link: string) => readonly string[]): Link[] {
  return listLinks(plan).map(({ id, src, dst, protocol }) => ({
    id,
    src_id: src,
    dst_id: dst,
    protocol,
    threat_agent_ids: attackersOn(id),
  }))
}

function isOnLink({ type, params, target_link }: AttackOrder, plan: Telecontrol, id: string): boolean {
  if (target_link !== null) return target_link === id
  return findAttack(type)?.links(toParams(params), plan).includes(id) ?? false
}
