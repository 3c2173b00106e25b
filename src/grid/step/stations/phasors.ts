/** Phasor measurement units and their concentrator: configuration and data frames, and what arrives of them. */

import { encodeHex } from '#base/hex.ts'
import { acceptPhasors } from '../../control-centre/control-centre.ts'
import { phasorSigma } from '../../estimation/meter-accuracy.ts'
import { newTcpFlow } from '../../link/tcp-flow.ts'
import { busPosition } from '../../network/network.ts'
import { rotationAt } from '../../plant/observables.ts'
import type { BranchFlow } from '../../power-flow/result.ts'
import {
  type C37118Frame,
  c37118Port,
  decodeC37118,
  encodeC37118,
  fromC37118Time,
  toC37118Time,
} from '../../protocols/c37118.ts'
import { type C37118Measurement, toPolar } from '../../protocols/c37118-data.ts'
import type { Carrier, Message } from '../../telecontrol/message.ts'
import { endpoint, type PmuSite, secondary } from '../../telecontrol/telecontrol.ts'
import { abortConnection, envelope, findConnection, listFieldConnections, openConnection } from '../connections.ts'
import type { Dialogue, PhasorDialogue } from '../dialogue.ts'
import { type StepContext, type StepScene, send } from '../step-context.ts'
import type { Connection } from '../world.ts'
import type { Station } from './station.ts'

/** Seconds between two configuration frames of a stream over UDP, which has no way to ask for one. */
const configurationSeconds = 60

/** Microseconds from a measurement to its frame. */
const reportingDelayUs = 2_000

/** Microseconds without data after which the concentrator replaces a connection. */
const patienceUs = 10_000_000

/** Phasor measurement units, which report, and their concentrator. */
export const phasorStation: Station = { poll, receive }

/** Sends what every unit reports in this step; its configuration first, and then every minute. */
function poll(context: StepContext): void {
  const { pmu_rate: rate } = context.world.configuration
  for (const [index, site] of context.plan.pmus.entries()) {
    const carrier = openCarrier(context, site)
    const spreadUs = (index % 40) * 130
    const outside = listFieldConnections(context.world, site.node).filter(({ dialogue }) => isSending(dialogue))
    if (isConfigurationDue(context, site)) {
      context.world.configured[site.node] = Math.max(context.startUs, 1)
      const sentUs = context.startUs + 1_000 + spreadUs
      put(context, site, carrier, configurationFrame(context, site), sentUs, 'link')
    }
    for (let count = Math.ceil((context.startUs * rate) / 1e6); ; count++) {
      const measuredUs = Math.floor((count * 1e6) / rate)
      if (measuredUs >= context.endUs) break
      const lateUs = Math.min(2_000, Math.abs(context.random('reporting').normal(0, 300)))
      const sentUs = measuredUs + reportingDelayUs + spreadUs + Math.floor(lateUs)
      const payload = dataFrame(context, site, measuredUs)
      put(context, site, carrier, payload, sentUs, 'reporting')
      for (const { id } of outside) {
        put(context, site, { kind: 'tcp', connection: id, side: 'server' }, payload, sentUs, 'reporting')
      }
    }
  }
}

function isConfigurationDue({ world, startUs }: StepScene, { node }: PmuSite): boolean {
  const sentUs = world.configured[node] ?? 0
  return sentUs === 0 || startUs - sentUs >= configurationSeconds * 1e6
}

function openCarrier(context: StepContext, site: PmuSite): Carrier {
  if (site.carrier === 'udp') {
    const to = endpoint(context.plan.pdc, c37118Port.udp)
    return { kind: 'udp', from: endpoint(site.host, c37118Port.udp), to }
  }
  const id = `${site.link}#pdc`
  const { connections } = context.world
  if (isStalled(context, connections[id])) abortConnection(context, id, context.startUs)
  if (connections[id]?.flow.phase !== 'established') connect(context, site, id)
  return { kind: 'tcp', connection: id, side: 'server' }
}

/** Opens the connection of the concentrator to a unit, and asks for data on it; the configuration follows anew. */
function connect(context: StepContext, site: PmuSite, id: string): void {
  const { pdc } = context.plan
  const random = context.random('connections')
  const client = endpoint(pdc, random.integer(49_152, 65_535))
  const initial = { client: random.uint32(), server: random.uint32() }
  const connection = {
    id,
    link: site.link,
    clientNode: pdc.node,
    serverNode: site.node,
    flow: newTcpFlow(client, endpoint(site.host, c37118Port.tcp), initial),
    dialogue: { protocol: 'C37.118' as const },
    label: null,
  }
  openConnection(context, connection, context.startUs)
  context.world.configured[site.node] = 0
  send(context, {
    ...envelope(connection, 'client'),
    timeUs: context.startUs + 700,
    payload: encodeC37118(dataOn(site.idCode, context.startUs)),
    purpose: 'link',
    forged: null,
  })
}

/** The command of the concentrator that turns transmission on. */
function dataOn(idCode: number, timeUs: number): C37118Frame {
  const extension = new Uint8Array(0)
  return { idCode, time: toC37118Time(timeUs), kind: 'command', command: 'data_on', extension }
}

/** Tests that the concentrator has waited too long for what comes next on a connection. */
function isStalled({ world, startUs }: StepScene, connection: Connection | undefined): boolean {
  const oldest = connection?.transit?.server?.segments[0]
  return oldest !== undefined && startUs - Math.max(oldest.sentUs, world.view.liveUs) > patienceUs
}

function put(
  context: StepContext,
  site: PmuSite,
  carrier: Carrier,
  payload: Uint8Array,
  timeUs: number,
  purpose: Message['purpose'],
): void {
  send(context, {
    protocol: 'C37.118',
    link: site.link,
    carrier,
    srcNode: site.node,
    dstNode: context.plan.pdc.node,
    timeUs,
    payload,
    purpose,
    forged: null,
  })
}

function configurationFrame(context: StepScene, site: PmuSite): Uint8Array {
  const configuration = context.configurationOf(site.link)
  if (configuration === undefined) throw new Error(`no configuration for ${site.link}`)
  return encodeC37118({
    idCode: site.idCode,
    time: toC37118Time(context.startUs),
    kind: 'configuration_2',
    configuration,
  })
}

function dataFrame(context: StepScene, site: PmuSite, measuredUs: number): Uint8Array {
  return encodeC37118(
    {
      idCode: site.idCode,
      time: toC37118Time(measuredUs),
      kind: 'data',
      pmus: [measure(context, site, measuredUs)],
    },
    context.configurationOf(site.link),
  )
}

/** Secondary phasors: angles turn with the integral of f - f0, so that angle and frequency agree. */
function measure(context: StepScene, site: PmuSite, measuredUs: number): C37118Measurement {
  const { world, network } = context
  const noise = context.random(`pmu ${site.node}`)
  const { solution } = world.plant
  const position = busPosition(network, site.bus)
  const vm = solution.vmPu[position] ?? 0
  const va = solution.vaRad[position] ?? 0
  // Frames between two steps of the plant: magnitudes are those of the step, angle and frequency go on.
  const later = { seconds: Math.max(0, (measuredUs - context.startUs) / 1e6), f0Hz: network.f0Hz }
  const { frequencyHz, rocofHzPerS, angleRad } = rotationAt(world.plant, site.bus, later)
  const phasor = (magnitude: number, angle: number, unit: number) => ({
    magnitude: Math.max(0, (magnitude + phasorSigma.magnitudePu * noise.normal()) * unit),
    angle: wrap(angle + angleRad + phasorSigma.angleRad * noise.normal()),
  })
  const currents = site.currents.map((into) => {
    const [p, q] = flowInto(solution.branches, into, network.baseMva)
    // I = conj(S / V)
    return phasor(vm > 0 ? Math.hypot(p, q) / vm : 0, va - Math.atan2(q, p), secondary.amperes)
  })
  return {
    status: 0,
    phasors: [phasor(vm, va, secondary.volts), ...currents],
    frequencyHz: frequencyHz + phasorSigma.frequencyHz * noise.normal(),
    rocofHzPerS,
    analogs: [],
    digitals: [],
  }
}

/** Active and reactive power into a branch at one end, in per unit. */
function flowInto(
  flows: readonly BranchFlow[],
  { branch, end }: PmuSite['currents'][number],
  baseMva: number,
): readonly [p: number, q: number] {
  const flow = flows[branch - 1]
  const mw = end === 'from' ? flow?.fromMw : flow?.toMw
  const mvar = end === 'from' ? flow?.fromMvar : flow?.toMvar
  return [(mw ?? 0) / baseMva, (mvar ?? 0) / baseMva]
}

function wrap(angle: number): number {
  return angle - 2 * Math.PI * Math.ceil(angle / (2 * Math.PI) - 0.5)
}

/** The state of a connection on which no data was asked for. */
export function newPhasorDialogue(): PhasorDialogue {
  return { protocol: 'C37.118' }
}

function isSending(dialogue: Dialogue): boolean {
  return dialogue.protocol === 'C37.118' && dialogue.isSending === true
}

/** Obeys a command of a master from outside (IEEE C37.118.2 table 15); what it cannot read it ignores. */
function obey(context: StepContext, connection: Connection, message: Message, payload: Uint8Array): void {
  const site = context.plan.pmus.find(({ node }) => node === connection.serverNode)
  const decoded = decodeC37118(payload)
  const { dialogue } = connection
  if (site === undefined || dialogue.protocol !== 'C37.118' || !decoded.ok) return
  const frame = decoded.value
  if (frame.kind !== 'command' || frame.idCode !== site.idCode) return
  const answer = (octets: Uint8Array) => {
    const carrier = { kind: 'tcp', connection: connection.id, side: 'server' } as const
    put(context, site, carrier, octets, message.timeUs + reportingDelayUs, 'link')
  }
  const head = { idCode: site.idCode, time: toC37118Time(message.timeUs) }
  const configuration = context.configurationOf(site.link)
  switch (frame.command) {
    case 'data_on':
    case 'data_off':
      dialogue.isSending = frame.command === 'data_on'
      return
    case 'send_header':
      answer(encodeC37118({ ...head, kind: 'header', text: `${site.node} at bus ${site.bus}` }))
      return
    case 'send_configuration_1':
    case 'send_configuration_2':
      if (configuration === undefined) return
      answer(
        encodeC37118({
          ...head,
          kind: frame.command === 'send_configuration_1' ? 'configuration_1' : 'configuration_2',
          configuration,
        }),
      )
  }
}

/** Takes in a frame at the concentrator; its own commands arrive at the unit, which obeys by going on. */
function receive(context: StepContext, message: Message, payload: Uint8Array): void {
  const connection = findConnection(context.world, message)
  if (connection?.isField === true) {
    obey(context, connection, message, payload)
    return
  }
  const decoded = decodeC37118(payload, context.configurationOf(message.link))
  if (!decoded.ok || decoded.value.kind !== 'data' || message.dstNode !== context.plan.pdc.node) return
  const [unit] = decoded.value.pmus
  if (unit === undefined) return
  acceptPhasors(context, message.srcNode, {
    measuredUs: fromC37118Time(decoded.value.time),
    arrivedUs: message.timeUs,
    frequencyHz: unit.frequencyHz,
    rocofHzPerS: unit.rocofHzPerS,
    phasors: unit.phasors.map((phasor, index) => {
      const { magnitude, angle } = toPolar(phasor)
      return { magnitudePu: magnitude / (index === 0 ? secondary.volts : secondary.amperes), angleRad: angle }
    }),
    // Everything between the time stamp and the checksum.
    fingerprint: encodeHex(payload.subarray(14, payload.length - 2)),
  })
}
