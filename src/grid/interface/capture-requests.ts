/** The query of a capture: which of the retained frames it holds, by incident, time, protocol, station and label. */

import { nearest } from '../../base/nearest.ts'
import { attacks } from '../attacks/catalogue.ts'
import { GridError } from '../errors.ts'
import { protocolNames } from '../protocols/catalogue.ts'
import { findServed } from '../protocols/identify.ts'
import type { Telecontrol } from '../telecontrol/telecontrol.ts'
import type { PacketRecord } from '../types.ts'
import { showName } from './body-mistakes.ts'

/** The parameters by name, each with what it means; the OpenAPI document lists them. */
export const captureParameters = {
  since: 'only frames from this time on, in Unix seconds',
  until: 'only frames before this time, in Unix seconds',
  proto: 'only frames of this protocol, with the segments that serve its connections, in any letter case',
  station: 'only frames of this node of the topology, or of this IP or MAC address',
  label: 'only frames of this attack, by type or id; NONE for the clean ones',
} as const

/** The frames that a capture holds; an absent field leaves none out. */
export type CaptureSelection = Readonly<Partial<Record<'proto' | 'station' | 'label' | 'incident', string>>> &
  Readonly<Partial<Record<'since' | 'until', number>>>

/**
 * Reads the query of a capture.
 *
 * @throws GridError invalid_request when a time is not a number.
 */
export function parseCapture(query: (name: string) => string | undefined): CaptureSelection {
  const texts = (['proto', 'station', 'label', 'incident'] as const).map((name) => [name, query(name)] as const)
  const times = (['since', 'until'] as const).map((name) => [name, readTime(name, query(name))] as const)
  return Object.fromEntries([...texts, ...times].filter(([, value]) => value !== undefined))
}

function readTime(name: string, text: string | undefined): number | undefined {
  if (text === undefined || /^\d{1,12}(\.\d+)?$/.test(text)) return text === undefined ? text : Number(text)
  const state = `${name} is "${showName(text)}", expected Unix seconds`
  throw new GridError('invalid_request', `Cannot export the capture: ${state}`, {
    hint: `Send a number such as ${name}=1764000004.5`,
  })
}

/**
 * Keeps the frames that a query asks for, in their order.
 *
 * @throws GridError capture_unavailable when it asks for some and leaves out all; names what is near.
 */
export function selectFrames(
  frames: readonly PacketRecord[],
  selection: CaptureSelection,
  plan: Telecontrol,
): readonly PacketRecord[] {
  const { since = 0, until = Number.POSITIVE_INFINITY } = selection
  const [proto, station, label] = [selection.proto, selection.station, selection.label].map((text) =>
    text?.toLowerCase(),
  )
  const hosts = station === undefined ? undefined : findHosts(plan, station)
  const isWanted = (frame: PacketRecord) =>
    frame.timeUs >= since * 1e6 &&
    frame.timeUs < until * 1e6 &&
    (proto === undefined || [frame.protocol, findServed(frame)].some((name) => name?.toLowerCase() === proto)) &&
    (hosts === undefined || hosts.some((host) => isEnd(frame, host))) &&
    (label === undefined || listLabels(frame).includes(label))
  const wanted = frames.filter(isWanted)
  const given = (['since', 'until', 'proto', 'station', 'label'] as const).flatMap((name) =>
    selection[name] === undefined ? [] : [`${name} ${showName(String(selection[name]))}`],
  )
  if (wanted.length > 0 || given.length === 0 || frames.length === 0) return wanted
  throw new GridError('capture_unavailable', `Cannot export the capture: no retained frame has ${given.join(', ')}`, {
    hint: suggest(selection, plan),
  })
}

/** The addresses of a node by its name, or the address that the text is. */
function findHosts(plan: Telecontrol, station: string): readonly string[] {
  const host = listHosts(plan).find(({ node }) => node.toLowerCase() === station)
  return host === undefined ? [station] : [host.ip, host.mac]
}

function listHosts({ controlCentre, pdc, outstations, pmus, ieds }: Telecontrol) {
  return [controlCentre, pdc, ...[...outstations, ...pmus, ...ieds].map(({ host }) => host)]
}

/** Tests that a host is an end of a frame; a request of ARP goes to all hosts, and its flow names the one it asks. */
function isEnd({ src, dst, flow, protocol }: PacketRecord, host: string): boolean {
  const isAt = (end: string) => end === host || end.startsWith(`${host}:`)
  return isAt(src.toLowerCase()) || isAt(dst.toLowerCase()) || (protocol === 'ARP' && flow.endsWith(`-${host}`))
}

function listLabels({ label }: PacketRecord): readonly string[] {
  return label === null ? ['none'] : [label.attack_type.toLowerCase(), label.attack_id.toLowerCase()]
}

function suggest({ proto, station, label }: CaptureSelection, plan: Telecontrol): string {
  const known = [
    [proto, [...protocolNames, 'ARP', 'MMS', 'NTP', 'SV', 'TCP', 'UDP']],
    [station, listHosts(plan).map(({ node }) => node)],
    [label, ['NONE', ...attacks.map(({ type }) => type)]],
  ] as const
  const meant = known.flatMap(([text, names]) => {
    const isKnown = text === undefined || names.some((name) => name.toLowerCase() === text.toLowerCase())
    const near = isKnown ? undefined : nearest(text, names)
    return near === undefined ? [] : [`"${near}"`]
  })
  return meant.length === 0
    ? 'A capture holds the newest frames only; GET /api/v1/topology lists the nodes and the protocols of their links'
    : `Did you mean ${meant.join(' and ')}?`
}
