/** Address resolution: a host asks for the hardware address of another before it sends to it, and again once it aged. */

import { encodeArp } from '../link/arp.ts'
import { encodeEthernet, etherType, toMac } from '../link/ethernet.ts'
import { addressAgeUs, findStack, toHostNumber } from '../link/ip-stack.ts'
import { ipProtocol, toIpv4 } from '../link/ipv4.ts'
import { keepOctets } from '../link/slab.ts'
import { drawSpread } from '../link/spread.ts'
import type { Host } from '../telecontrol/telecontrol.ts'
import { type FrameDraft, noMessage } from './drafts.ts'
import type { World } from './world.ts'

/** The hosts of a session, and the hardware addresses that each knows. */
type Neighbours = Pick<World, 'hosts' | 'addresses'>

type Interface = Pick<Host, 'mac' | 'ip'>

/** The receivers of a broadcast, and the address that a request asks for. */
const broadcast = 'ff:ff:ff:ff:ff:ff'
const unresolved = '00:00:00:00:00:00'

/** Microseconds from a request to its reply, and from the reply to the frame that waited for it: least and more. */
const replyUs = { least: 120, spread: 280 } as const
const sendUs = { least: 60, spread: 140 } as const

/** Lists requests and replies before the frames of a step, those of the attacker's host as parts of its attack. */
export function resolveAddresses(
  world: Neighbours,
  drafts: readonly FrameDraft[],
  { ip: attacker }: Pick<Host, 'ip'>,
): readonly FrameDraft[] {
  const asking = drafts.filter((draft) => isUnknown(world, draft)).sort((a, b) => a.timeUs - b.timeUs)
  const asked = asking.flatMap((draft) => {
    if (!isUnknown(world, draft)) return []
    const [from, to] = readEnds(draft.bytes)
    return ask(world, from, to, from.ip === attacker || to.ip === attacker ? draft : { ...draft, label: null })
  })
  for (const draft of drafts) confirm(world, draft)
  return asked
}

/** Tests that a frame is for a host whose hardware address its sender does not know, or no longer. */
function isUnknown({ addresses }: Neighbours, { bytes, src, dst, timeUs }: FrameDraft): boolean {
  return isIp(bytes) && (addresses[pairOf(src, dst)] ?? 0) <= timeUs
}

function isIp(bytes: Uint8Array): boolean {
  return bytes[12] === etherType.ipv4 >>> 8 && bytes[13] === (etherType.ipv4 & 0xff)
}

/** Names what one host knows of another, from the ends of a frame as `address:port`. */
function pairOf(src: string, dst: string): string {
  return `${src.slice(0, src.indexOf(':'))} ${dst.slice(0, dst.indexOf(':'))}`
}

/** Reads sender and receiver from the headers of an IP frame. */
function readEnds(bytes: Uint8Array): readonly [Interface, Interface] {
  const mac = (at: number) => toMac(bytes.subarray(at, at + 6))
  const ip = (at: number) => toIpv4(bytes.subarray(at, at + 4))
  return [
    { mac: mac(6), ip: ip(26) },
    { mac: mac(0), ip: ip(30) },
  ]
}

/** Asks all hosts, or later the known one (RFC 1122 section 2.3.2.1); the one that is asked learns too (RFC 826). */
function ask(world: Neighbours, from: Interface, to: Interface, draft: FrameDraft): readonly FrameDraft[] {
  const { hosts, addresses } = world
  const [there, back] = [`${from.ip} ${to.ip}`, `${to.ip} ${from.ip}`]
  const destination = addresses[there] === undefined ? broadcast : to.mac
  const spread = (at: number) => drawSpread(hosts.seed ^ toHostNumber(from.ip), draft.timeUs + at)
  const repliedUs = draft.timeUs - sendUs.least - Math.floor(sendUs.spread * spread(1))
  const askedUs = repliedUs - replyUs.least - Math.floor(replyUs.spread * spread(2))
  addresses[there] = draft.timeUs + addressAgeUs(hosts, from.ip, draft.timeUs)
  addresses[back] = draft.timeUs + addressAgeUs(hosts, to.ip, draft.timeUs)
  const request = { senderMac: from.mac, senderIp: from.ip, targetMac: unresolved, targetIp: to.ip }
  const reply = { senderMac: to.mac, senderIp: to.ip, targetMac: from.mac, targetIp: from.ip }
  const common = { label: withoutEvidence(draft.label), flow: `${from.mac}-${to.mac}` }
  return [
    toDraft({ ...common, src: from.mac, dst: destination }, encodeArp({ operation: 'request', ...request }), askedUs),
    toDraft({ ...common, src: to.mac, dst: from.mac }, encodeArp({ operation: 'reply', ...reply }), repliedUs),
  ]
}

function withoutEvidence(label: FrameDraft['label']): FrameDraft['label'] {
  return label && { attack_id: label.attack_id, attack_type: label.attack_type, technique: label.technique }
}

function toDraft(
  ends: Pick<FrameDraft, 'label' | 'flow' | 'src' | 'dst'>,
  payload: Uint8Array,
  timeUs: number,
): FrameDraft {
  const { src: source, dst: destination, label } = ends
  return {
    ...noMessage,
    ...ends,
    timeUs,
    bytes: keepOctets(encodeEthernet({ source, destination, etherType: etherType.arp, payload })),
    protocol: 'ARP',
    status: label === null ? 'clean' : 'attacked',
    payloadLength: payload.length,
  }
}

/** Keeps the address of a host from which TCP arrives, where the receiver's stack counts that (RFC 4861, 7.3.1). */
function confirm({ hosts, addresses }: Neighbours, { bytes, src, dst, timeUs, tap }: FrameDraft): void {
  if (tap === 'before' || !isIp(bytes) || bytes[23] !== ipProtocol.tcp) return
  const receiver = dst.slice(0, dst.indexOf(':'))
  if (findStack(hosts, receiver).addresses.areConfirmed) {
    addresses[pairOf(dst, src)] = timeUs + addressAgeUs(hosts, receiver, timeUs)
  }
}
