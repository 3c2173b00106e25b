/** The part of Suricata's rule language that `examples/grid/detection` uses, evaluated on the frames of a capture. */

import { encodeHex } from '#base/hex.ts'

/** One rule. */
interface Rule {
  readonly head: { readonly protocol: 'tcp' | 'udp'; readonly source: Side; readonly target: Side }
  readonly options: readonly (readonly [name: string, value: string])[]
}

type Side = { readonly addresses: string; readonly port: string }

/** One frame as a capture holds it. */
export interface CapturedFrame {
  /** From 1. */
  readonly number: number
  readonly timeUs: number
  readonly bytes: Uint8Array
}

/** A transport's payload with its ends. */
interface Packet {
  readonly protocol: 'tcp' | 'udp'
  readonly source: string
  readonly sourcePort: number
  readonly target: string
  readonly targetPort: number
  readonly flags: number
  readonly payload: Uint8Array
}

/** Reads a file of rules; comments and empty lines are passed over. */
export function parseRules(text: string): readonly Rule[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => {
      const head = /^alert (tcp|udp) (\S+) (\S+) -> (\S+) (\S+) \((.*)\)$/.exec(line)
      if (head === null) throw new Error(`not a rule: ${line}`)
      const [, protocol, from = '', fromPort = '', to = '', toPort = '', body = ''] = head
      const options = [...body.matchAll(/(\w+):((?:"[^"]*"|[^;"])*);/g)].map(
        ([, name = '', value = '']) => [name, value.trim()] as const,
      )
      return {
        head: {
          protocol: protocol as Packet['protocol'],
          source: { addresses: from, port: fromPort },
          target: { addresses: to, port: toPort },
        },
        options,
      }
    })
}

/** The value of an option. */
export function optionOf({ options }: Rule, name: string): string | undefined {
  return options.find(([one]) => one === name)?.[1]
}

/**
 * Reads a capture with rules, as `suricata -r` does.
 *
 * @param groups - address groups by name, as lists of networks.
 * @returns the lines of EVE, one alert each.
 */
export function runRules(
  rules: readonly Rule[],
  groups: Readonly<Record<string, string>>,
  frames: Iterable<CapturedFrame>,
): readonly string[] {
  const seen = new Map<string, { sinceUs: number; count: number }>()
  const lines: string[] = []
  for (const frame of frames) {
    const packet = readPacket(frame.bytes)
    if (packet === undefined) continue
    for (const rule of rules) {
      if (!matchesHead(rule, packet, groups) || !matchesBody(rule, packet)) continue
      if (!passesThreshold(rule, packet, frame.timeUs, seen)) continue
      lines.push(writeAlert(rule, packet, frame))
    }
  }
  return lines
}

function readPacket(bytes: Uint8Array): Packet | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length < 42 || view.getUint16(12) !== 0x0800) return undefined
  const kind = bytes[23]
  if (kind !== 6 && kind !== 17) return undefined
  const at = 14 + ((bytes[14] ?? 0) & 15) * 4
  const end = 14 + view.getUint16(16)
  const address = (from: number) => [...bytes.subarray(from, from + 4)].join('.')
  const start = at + (kind === 6 ? ((bytes[at + 12] ?? 0) >> 4) * 4 : 8)
  return {
    protocol: kind === 6 ? 'tcp' : 'udp',
    source: address(26),
    target: address(30),
    sourcePort: view.getUint16(at),
    targetPort: view.getUint16(at + 2),
    flags: kind === 6 ? (bytes[at + 13] ?? 0) : 0,
    payload: bytes.subarray(start, end),
  }
}

function matchesHead({ head }: Rule, packet: Packet, groups: Readonly<Record<string, string>>): boolean {
  return (
    head.protocol === packet.protocol &&
    holds(head.source, packet.source, packet.sourcePort, groups) &&
    holds(head.target, packet.target, packet.targetPort, groups)
  )
}

function holds({ addresses, port }: Side, ip: string, at: number, groups: Readonly<Record<string, string>>): boolean {
  if (port !== 'any' && Number(port) !== at) return false
  if (addresses === 'any') return true
  const [, negation, name = ''] = /^(!?)\$(\w+)$/.exec(addresses) ?? []
  const networks = groups[name]
  if (networks === undefined) throw new Error(`no address group ${addresses}`)
  const isInside = networks
    .replace(/[[\]]/g, '')
    .split(',')
    .some((network) => isIn(ip, network))
  return negation === '!' ? !isInside : isInside
}

function isIn(ip: string, network: string): boolean {
  const [base = '', length = '32'] = network.trim().split('/')
  const number = (text: string) => text.split('.').reduce((sum, octet) => sum * 256 + Number(octet), 0)
  const size = 2 ** (32 - Number(length))
  return Math.floor(number(ip) / size) === Math.floor(number(base) / size)
}

/** Options that say nothing about octets. */
const quiet = new Set(['msg', 'priority', 'classtype', 'metadata', 'sid', 'rev', 'threshold', 'offset', 'depth'])

function matchesBody({ options }: Rule, { payload, flags }: Packet): boolean {
  return options.every(([name, value], index) => {
    if (quiet.has(name)) return true
    // S: a segment with the flag SYN and without any other.
    if (name === 'flags') return value === 'S' && flags === 2
    if (name === 'dsize') return payload.length > Number(value.replace('>', ''))
    if (name === 'byte_test') return testByte(payload, value)
    if (name === 'content') return hasContent(payload, value, options.slice(index + 1))
    throw new Error(`the matcher does not know ${name}`)
  })
}

function testByte(payload: Uint8Array, value: string): boolean {
  const [, operator = '', mask, at] = value.split(',')
  const octet = payload[Number(at)]
  if (octet === undefined) return false
  const isSet = (octet & Number(mask)) !== 0
  return operator === '!&' ? !isSet : isSet
}

/** Modifiers follow their content, up to the next one. */
function hasContent(payload: Uint8Array, value: string, after: Rule['options']): boolean {
  const next = after.findIndex(([name]) => name === 'content')
  const own = new Map(next < 0 ? after : after.slice(0, next))
  const wanted = /\|([^|]*)\|/.exec(value)?.[1]?.replace(/ /g, '').toLowerCase() ?? ''
  const offset = Number(own.get('offset') ?? 0)
  const part = payload.subarray(offset, offset + Number(own.get('depth') ?? payload.length))
  const found = encodeHex(part).includes(wanted)
  return value.startsWith('!') ? !found : found
}

function passesThreshold(
  rule: Rule,
  { source, target }: Packet,
  timeUs: number,
  seen: Map<string, { sinceUs: number; count: number }>,
): boolean {
  const written = optionOf(rule, 'threshold')
  if (written === undefined) return true
  const value = (name: string) => new RegExp(`${name} (\\w+)`).exec(written)?.[1] ?? ''
  const key = `${optionOf(rule, 'sid')} ${value('track') === 'by_src' ? source : target}`
  const known = seen.get(key)
  const isOver = known === undefined || timeUs - known.sinceUs >= Number(value('seconds')) * 1e6
  const state = isOver ? { sinceUs: timeUs, count: 1 } : { ...known, count: known.count + 1 }
  seen.set(key, state)
  // limit: the first of a stretch; both: once in it, when there have been so many.
  return value('type') === 'limit' ? state.count <= Number(value('count')) : state.count === Number(value('count'))
}

function writeAlert(rule: Rule, packet: Packet, { number, timeUs }: CapturedFrame): string {
  const technique = /mitre_technique_id (\w+)/.exec(optionOf(rule, 'metadata') ?? '')?.[1]
  return JSON.stringify({
    timestamp: new Date(timeUs / 1000).toISOString().replace('Z', `${String(timeUs % 1000).padStart(3, '0')}+0000`),
    event_type: 'alert',
    pcap_cnt: number,
    src_ip: packet.source,
    src_port: packet.sourcePort,
    dest_ip: packet.target,
    dest_port: packet.targetPort,
    proto: packet.protocol.toUpperCase(),
    alert: {
      action: 'allowed',
      gid: 1,
      signature_id: Number(optionOf(rule, 'sid')),
      rev: 1,
      signature: optionOf(rule, 'msg')?.replaceAll('"', ''),
      severity: Number(optionOf(rule, 'priority')),
      ...(technique !== undefined && { metadata: { mitre_technique_id: [technique] } }),
    },
  })
}
