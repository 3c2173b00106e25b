/** Time over the network: hosts without a master for their clock ask the control centre, which has a GPS clock. */

import { memo } from '../../base/memo.ts'
import { encodeDatagram } from '../link/ip-frame.ts'
import { findStack, takeIdentification, toHostNumber } from '../link/ip-stack.ts'
import { drawSpread } from '../link/spread.ts'
import { decodeNtp, encodeNtp, type NtpPacket, noNtpTime, ntpPort, toNtpTime } from '../protocols/ntp.ts'
import { endpoint, type Host, type Telecontrol } from '../telecontrol/telecontrol.ts'
import { noMessage } from './drafts.ts'
import type { StepContext } from './step-context.ts'

/** Seconds within which every host has asked for the first time. */
const firstSeconds = 64

/** Microseconds to the server and until it answers: the least, and how many more. */
const pathUs = { least: 80, spread: 120 } as const
const answerUs = { least: 60, spread: 340 } as const

/** Microseconds by which the clock of a client is off at most, on either side. */
const clockErrorUs = 2_000

/** Seconds between two looks of the server at its receiver, its resolution (1 us) and its dispersion (0.4 ms). */
const receiver = { seconds: 16, precision: -20, dispersion: 26, name: 0x47505300 } as const

/** The hosts that ask: the concentrator, relays, and outstations of Modbus and MMS; others have a master or a receiver. */
const listClients = memo(({ pdc, ieds, outstations }: Telecontrol): readonly Host[] => [
  pdc,
  ...ieds.map(({ host }) => host),
  ...outstations.flatMap(({ protocol, host }) => (protocol === 'Modbus' || protocol === 'MMS' ? [host] : [])),
])

/** Records what hosts ask in this step, and the answers: the waits between two requests double up to a limit. */
export function serveTime(context: StepContext): void {
  const { world, plan, startUs, endUs } = context
  for (const client of listClients(plan)) {
    const { ip } = client
    const name = world.hosts.seed ^ toHostNumber(ip)
    const [least, most] = findStack(world.hosts, ip).timePolls
    const clock = world.clocks[ip] ?? { poll: least, dueUs: startUs + firstSeconds * 1e6 * drawSpread(name, 2) }
    const { poll, dueUs } = clock
    world.clocks[ip] = clock
    if (dueUs >= endUs) continue
    const askedUs = Math.max(startUs, Math.floor(dueUs))
    ask(context, client, poll, askedUs)
    // A sixteenth around the nominal wait, so that clients do not fall in step.
    const share = 1 + (drawSpread(name, askedUs) - 0.5) / 8
    world.clocks[ip] = { poll: Math.min(most, poll + 1), dueUs: askedUs + 2 ** poll * 1e6 * share }
  }
}

/** Records a request (RFC 4330 section 5) and the answer to it. */
function ask(context: StepContext, client: Host, poll: number, timeUs: number): void {
  const { controlCentre } = context.plan
  const spread = (at: number) => drawSpread(toHostNumber(client.ip), timeUs + at)
  const unset = { reference: noNtpTime, origin: noNtpTime, receive: noNtpTime }
  const head = { leap: 0, version: 4, rootDelay: 0, rootDispersion: 0, referenceId: 0 }
  const transmit = toNtpTime(timeUs + Math.floor((spread(1) - 0.5) * 2 * clockErrorUs))
  const request = encodeNtp({ ...head, mode: 'client', stratum: 0, poll, precision: 0, ...unset, transmit })
  record(context, { from: client, to: controlCentre }, request, timeUs)
  const receivedUs = timeUs + pathUs.least + Math.floor(pathUs.spread * spread(2))
  const answeredUs = receivedUs + answerUs.least + Math.floor(answerUs.spread * spread(3))
  const received = decodeNtp(request)
  if (!received.ok) return
  const response = encodeNtp(answer(received.value, receivedUs, answeredUs))
  record(context, { from: controlCentre, to: client }, response, answeredUs)
}

/** The answer of a server of stratum 1 (RFC 5905 section 9.2). */
function answer({ version, poll, transmit }: NtpPacket, receivedUs: number, answeredUs: number): NtpPacket {
  const periodUs = receiver.seconds * 1e6
  return {
    leap: 0,
    version,
    mode: 'server',
    stratum: 1,
    poll,
    precision: receiver.precision,
    rootDelay: 0,
    rootDispersion: receiver.dispersion,
    referenceId: receiver.name,
    reference: toNtpTime(Math.floor(receivedUs / periodUs) * periodUs),
    origin: transmit,
    receive: toNtpTime(receivedUs),
    transmit: toNtpTime(answeredUs),
  }
}

function record(
  { world, drafts }: StepContext,
  { from, to }: { readonly from: Host; readonly to: Host },
  payload: Uint8Array,
  timeUs: number,
): void {
  const flow = [from.ip, to.ip]
    .sort()
    .map((ip) => `${ip}:${ntpPort}`)
    .join('-')
  const [source, destination] = [endpoint(from, ntpPort), endpoint(to, ntpPort)]
  const { timeToLive } = findStack(world.hosts, from.ip)
  const ip = { identification: takeIdentification(world.hosts, from.ip), timeToLive }
  drafts.push({
    ...noMessage,
    src: `${from.ip}:${ntpPort}`,
    dst: `${to.ip}:${ntpPort}`,
    flow,
    timeUs,
    bytes: encodeDatagram(source, destination, payload, ip),
    protocol: 'NTP',
    payloadLength: payload.length,
  })
}
