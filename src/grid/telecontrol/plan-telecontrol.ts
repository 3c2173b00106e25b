/** Plans the devices of a grid: their addresses, their points, their links. */

import { memo } from '../../base/memo.ts'
import { busPosition, type Network } from '../network/network.ts'
import {
  type Device,
  fieldAddress,
  type MergingUnit,
  type Outstation,
  type PmuSite,
  type Point,
  type ProtectionIed,
  type Telecontrol,
} from './telecontrol.ts'

/** The first address of each protocol's outstations; the buses get the protocols in turn, in this order. */
const firstAddress = { IEC104: 1, DNP3: 11, Modbus: 1 } as const

/** Names a branch as engineers do, `9-14`; circuits after the first between two buses get their number: `42-49-2`. */
export function branchNames(network: Network): ReadonlyMap<number, string> {
  const seen = new Map<string, number>()
  return new Map(
    network.branches.map(({ number, from, to }) => {
      const circuit = (seen.get(`${from}-${to}`) ?? 0) + 1
      seen.set(`${from}-${to}`, circuit)
      return [number, circuit === 1 ? `${from}-${to}` : `${from}-${to}-${circuit}`]
    }),
  )
}

/** Plans the devices of a network: the same plan for the same network, kept with it. */
export const planTelecontrol = memo(buildPlan)

function buildPlan(network: Network): Telecontrol {
  const names = branchNames(network)
  const breakerNames = new Map([...names].map(([number, name]) => [number, `CB-${name}`]))
  return {
    controlCentre: { node: 'CC', mac: '02:00:5e:00:00:0a', ip: '10.20.0.10' },
    pdc: { node: 'PDC', mac: '02:00:5e:00:00:14', ip: '10.20.0.20' },
    attacker: { node: 'THREAT', mac: '02:00:5e:66:66:66', ip: '10.20.0.66' },
    field: { node: 'FIELD', mac: '02:00:5e:00:00:1e', ip: fieldAddress },
    outstations: planOutstations(network, names),
    pmus: network.pmuBuses.map((bus, index) => planPmu(network, bus, index)),
    nominalHz: network.f0Hz < 55 ? 50 : 60,
    ieds: network.buses
      .map(({ id }) => ({ id, branches: branchesFrom(network, id) }))
      .filter(({ branches }) => branches.length > 0)
      .map(({ id, branches }) => planIed(network, id, branches)),
    mergingUnits: (network.iec61850Buses ?? []).map((bus) => planMergingUnit(network, bus)),
    breakerNames,
    branchByBreaker: new Map([...breakerNames].map(([number, name]) => [name, number])),
    neighbours: new Map(network.buses.map(({ id }) => [id, neighboursOf(network, id)])),
  }
}

function planOutstations(network: Network, names: ReadonlyMap<number, string>): readonly Outstation[] {
  // The table has exactly these keys.
  const turns = Object.keys(firstAddress) as readonly (keyof typeof firstAddress)[]
  return network.buses.map(({ id: bus }, index) => {
    const turn = turns[index % turns.length] ?? 'IEC104'
    const isIec61850 = network.iec61850Buses?.includes(bus) === true
    const branches = branchesFrom(network, bus)
    return {
      ...deviceAt(bus, `RTU-${bus}`, 1, index + 1),
      protocol: isIec61850 ? 'MMS' : turn,
      address: isIec61850 ? bus : firstAddress[turn] + Math.floor(index / turns.length),
      link: `CC--RTU-${bus}`,
      points: pointsAt(bus, branches, names),
      branches,
    }
  })
}

/** The bus first, then each branch that begins there. */
function pointsAt(bus: number, branches: readonly number[], names: ReadonlyMap<number, string>): Point[] {
  return [
    { name: `V_${bus}`, kind: 'v', element: bus },
    { name: `Pinj_${bus}`, kind: 'p_inj', element: bus },
    { name: `Qinj_${bus}`, kind: 'q_inj', element: bus },
    ...branches.flatMap((number): Point[] => [
      { name: `Pflow_${names.get(number)}`, kind: 'p_flow', element: number },
      { name: `Qflow_${names.get(number)}`, kind: 'q_flow', element: number },
    ]),
  ]
}

function planPmu(network: Network, bus: number, index: number): PmuSite {
  const ends = network.branches
    .filter(({ from, to }) => from === bus || to === bus)
    .map(({ number, from }) => ({ branch: number, end: from === bus ? ('from' as const) : ('to' as const) }))
  return {
    ...deviceAt(bus, `PMU-${index + 1}`, 2, index + 1),
    idCode: index + 1,
    // Both carriers of the standard appear in every network with four units.
    carrier: index % 4 === 3 ? 'tcp' : 'udp',
    link: `PMU-${index + 1}--PDC`,
    currents: ends.slice(0, 5),
  }
}

function planIed(network: Network, bus: number, branches: readonly number[]): ProtectionIed {
  const index = busPosition(network, bus) + 1
  return {
    ...deviceAt(bus, `IED-${bus}`, 3, index),
    appId: index,
    // IEC 61850-8-1 recommends 512 addresses, to 01:0c:cd:01:01:ff.
    destination: `01:0c:cd:01:${octetsOf(index)}`,
    controlBlock: `IED${bus}LD0/LLN0$GO$gcbTrip`,
    link: `IED-${bus}--BAY-${bus}`,
    branches,
  }
}

function planMergingUnit(network: Network, bus: number): MergingUnit {
  const index = busPosition(network, bus) + 1
  const [branch = 0] = branchesFrom(network, bus)
  return {
    ...deviceAt(bus, `MU-${bus}`, 4, index),
    branch,
    // 4000 to 7FFF are for sampled values; IEC 61850-9-2 recommends 512 addresses, to 01:0c:cd:04:01:ff.
    appId: 0x4000 + index,
    destination: `01:0c:cd:04:${octetsOf(index)}`,
    streamId: `MU${bus}`,
    listener: `IED-${bus}`,
    link: `MU-${bus}--IED-${bus}`,
  }
}

function branchesFrom(network: Network, bus: number): number[] {
  return network.branches.filter(({ from }) => from === bus).map(({ number }) => number)
}

function neighboursOf({ branches }: Network, bus: number): number[] {
  return branches.flatMap(({ from, to }) => (from === bus ? [to] : to === bus ? [from] : []))
}

/** Hosts of a segment in one range of 256 addresses; further ones go to the range ten further on. */
const hostsOfRange = 250

/** Gives a device a private address (RFC 1918) and a locally administered MAC, which no real device has. */
function deviceAt(bus: number, node: string, segment: number, index: number): Omit<Device, 'link'> {
  const range = segment + 10 * Math.floor((index - 1) / hostsOfRange)
  const ip = `10.20.${range}.${((index - 1) % hostsOfRange) + 1}`
  return { node, host: { node, mac: `02:00:5e:0${segment}:${octetsOf(index)}`, ip }, bus }
}

/** A number as two octets of a hardware address. */
function octetsOf(index: number): string {
  const text = index.toString(16).padStart(4, '0')
  return `${text.slice(0, 2)}:${text.slice(2)}`
}
