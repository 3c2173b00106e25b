/** The devices that measure and switch a grid, by their kinds, and ways to find them. */

import type { Endpoint } from '../link/ip-frame.ts'

/** A device on the network, without a port. */
export interface Host {
  /** Its id in the topology. */
  readonly node: string
  readonly mac: string
  readonly ip: string
}

/** Protocols that outstations speak; MMS at the IEC 61850 stations of a session only. */
export type OutstationProtocol = 'IEC104' | 'DNP3' | 'Modbus' | 'MMS'

/** One measured quantity: of the bus itself, or of a branch at its from side. */
export interface Point {
  /** `V_14`, `Pinj_14`, `Qinj_14`, `Pflow_9-14`, `Qflow_9-14`. */
  readonly name: string
  readonly kind: 'v' | 'p_inj' | 'q_inj' | 'p_flow' | 'q_flow'
  /** Id of the bus for the first three kinds, number of the branch for the others. */
  readonly element: number
}

/** A device at a bus, which talks over one link. */
export interface Device {
  readonly node: string
  readonly host: Host
  readonly bus: number
  readonly link: string
}

/** The remote terminal of one substation, which the control centre polls: one for each bus. */
export interface Outstation extends Device {
  readonly protocol: OutstationProtocol
  /**
   * Modbus unit, DNP3 link address or IEC 104 common address, counted from 1 within the protocol (DNP3 from 11); of MMS,
   * which has names, the id of the bus.
   */
  readonly address: number
  readonly points: readonly Point[]
  /** Numbers of the branches whose breakers are at this station: those that begin at the bus. */
  readonly branches: readonly number[]
}

/** A phasor measurement unit: voltage first, then the currents into the branches at its bus. */
export interface PmuSite extends Device {
  readonly idCode: number
  readonly carrier: 'tcp' | 'udp'
  /** At most five branches, so that there are at most six phasors. */
  readonly currents: readonly { readonly branch: number; readonly end: 'from' | 'to' }[]
}

/** A protection device: one for each bus at which branches begin; it publishes one GOOSE control block. */
export interface ProtectionIed extends Device {
  readonly appId: number
  readonly destination: string
  readonly controlBlock: string
  /** One trip bit for each, in the order of the data set. */
  readonly branches: readonly number[]
}

/** A merging unit of an IEC 61850 station: it samples the first bay and publishes to the protection there. */
export interface MergingUnit extends Device {
  /** Number of the branch whose currents it samples, at its beginning. */
  readonly branch: number
  readonly appId: number
  readonly destination: string
  readonly streamId: string
  /** The protection device that listens. */
  readonly listener: string
}

/** All devices of one network. */
export interface Telecontrol {
  readonly controlCentre: Host
  readonly pdc: Host
  readonly attacker: Host
  /** Masters from outside, whose sockets a front holds. */
  readonly field: Host
  readonly outstations: readonly Outstation[]
  readonly pmus: readonly PmuSite[]
  /** The nominal frequency that units name, of the two that C37.118 has. */
  readonly nominalHz: 50 | 60
  readonly ieds: readonly ProtectionIed[]
  readonly mergingUnits: readonly MergingUnit[]
  /** Name of a branch's breaker by the branch's number, and back. */
  readonly breakerNames: ReadonlyMap<number, string>
  readonly branchByBreaker: ReadonlyMap<string, number>
  /** The buses at the other ends of a bus's branches, by its id. */
  readonly neighbours: ReadonlyMap<number, readonly number[]>
}

/** First information object addresses of IEC 104 outstations: states, measurements, counters, commands. */
export const objectAddress = { state: 1, measurement: 2001, counter: 3001, command: 1001 } as const

/** Address of the master on every DNP3 link. */
export const dnp3Master = 1

/** The address that masters from outside have in captures and records. */
export const fieldAddress = '10.20.0.30'

/** Secondary values of the instrument transformers that phasors are given in, for 1 pu. */
export const secondary = { volts: 120, amperes: 5 } as const

/** One end of a flow: a device and a port. */
export function endpoint({ mac, ip }: Host, port: number): Endpoint {
  return { mac, ip, port }
}

/** Finds an outstation by protocol and address. */
export function findOutstation(
  { outstations }: Telecontrol,
  protocol: OutstationProtocol,
  address: number,
): Outstation | undefined {
  return outstations.find((one) => one.protocol === protocol && one.address === address)
}

/** The link of an outstation as a list, empty where there is none. */
export function linkOf(outstation: Outstation | undefined): readonly string[] {
  return outstation === undefined ? [] : [outstation.link]
}

/** Every link of the network, each with the protocol that it carries and its two ends. */
export function listLinks(
  plan: Telecontrol,
): readonly { readonly id: string; readonly src: string; readonly dst: string; readonly protocol: string }[] {
  const { node: centre } = plan.controlCentre
  return [
    ...plan.outstations.map(({ link, node, protocol }) => ({ id: link, src: centre, dst: node, protocol })),
    ...plan.pmus.map(({ link, node }) => ({ id: link, src: node, dst: plan.pdc.node, protocol: 'C37.118' })),
    ...plan.ieds.map(({ link, node, bus }) => ({ id: link, src: node, dst: `BAY-${bus}`, protocol: 'GOOSE' })),
    ...plan.mergingUnits.map(({ link, node, listener }) => ({ id: link, src: node, dst: listener, protocol: 'SV' })),
  ]
}
