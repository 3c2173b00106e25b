/** The exports of a session, each produced piece by piece from the retained records. */

import { toSessionDocument } from '../configuration.ts'
import { findTelecontrol } from '../engine.ts'
import { GridError } from '../errors.ts'
import { type CaptureFrame, captureFrames, type KnownConfigurations } from '../export/capture.ts'
import { encodeCsv } from '../export/csv.ts'
import { encodeLabels } from '../export/labels.ts'
import { encodePcap } from '../export/pcap.ts'
import { encodePcapng } from '../export/pcapng.ts'
import { encodeIncidentStix, encodeStix } from '../export/stix.ts'
import type { StixSession } from '../export/stix-objects.ts'
import { capturedFrames, retention, selectIncidents } from '../records/records.ts'
import { streamConfigurations } from '../telecontrol/phasor-configuration.ts'
import type { PacketRecord } from '../types.ts'
import { type CaptureSelection, selectFrames } from './capture-requests.ts'
import { findIncident, framesAround } from './one-incident.ts'
import { isExternal, type SessionView } from './session-view.ts'

const encoders = {
  stix: encodeBundle,
  csv: (view) => encodeCsv(listIncidents(view)),
  'csv-extended': (view) => encodeCsv(listIncidents(view), { isExtended: true }),
  pcap: (view, selection) => encodePcap(findCapture(view, selection)),
  'pcap-before': (view, selection) => encodePcap(findCapture(view, selection), 'before'),
  'pcap-control-room': (view, selection) => encodePcap(receivedCapture(view, selection)),
  pcapng: (view, selection) => encodePcapng(findCapture(view, selection)),
  labels: (view, selection) => encodeLabels(findCapture(view, selection)),
  session: documentPieces,
} as const satisfies Record<string, (view: SessionView, selection: CaptureSelection) => Iterable<string | Uint8Array>>

/** Kind of an export. */
export type ExportKind = keyof typeof encoders

/**
 * Makes an export; it throws at once, not with the first piece.
 *
 * @throws GridError capture_unavailable when there are no captured frames, or none that is asked for.
 * @throws GridError not_found when the incident is not retained.
 */
export function exportPieces(
  view: SessionView,
  kind: ExportKind,
  selection: CaptureSelection = {},
): Iterable<string | Uint8Array> {
  return encoders[kind](view, selection)
}

function listIncidents({ records }: SessionView) {
  return selectIncidents(records, { limit: 0 }).incidents
}

function encodeBundle(view: SessionView, { incident: id }: CaptureSelection): Iterable<Uint8Array> {
  const { session, records } = view
  const frames = capturedFrames(records)
  const first = frames[0]?.frameNo ?? 0
  const about: StixSession = {
    id: session.sessionId,
    startedUs: session.createdMs * 1000,
    frame: (frameNo) => frames[frameNo - first]?.bytes,
  }
  if (id !== undefined) return encodeIncidentStix(findIncident(records, id), about)
  return encodeStix(listIncidents(view), about)
}

/**
 * Lists the frames of a capture: all that are retained, or those that are asked for.
 *
 * @throws GridError capture_unavailable when there are no captured frames, or none that is asked for.
 * @throws GridError not_found when the incident is not retained.
 */
export function findCapture(view: SessionView, selection: CaptureSelection = {}): Iterable<CaptureFrame> {
  const { incident: id } = selection
  const retained = capturedFrames(view.records)
  const around = id === undefined ? retained : framesAround(retained, findIncident(view.records, id))
  return toCapture(view, selectFrames(around, selection, findTelecontrol(view.world)))
}

function toCapture(view: SessionView, frames: readonly PacketRecord[]): Iterable<CaptureFrame> {
  const fromOutside = isExternal(view.session.configuration)
  if (frames.length === 0) {
    throw new GridError('capture_unavailable', fromOutside ? 'pcap capture not active' : 'pcap file not available', {
      hint: 'A capture exists once the simulation has run, or frames were ingested',
    })
  }
  // The configurations of an outside simulator's streams are only known from its frames.
  return captureFrames(frames, fromOutside ? new Map() : listConfigurations(view))
}

/** Lists what receivers saw last, half of what is retained at most: altered messages take two places in it. */
function receivedCapture(view: SessionView, selection: CaptureSelection): Iterable<CaptureFrame> {
  const received = capturedFrames(view.records).filter(({ tap }) => tap === 'after')
  let octets = 0
  const older = received.findLastIndex(({ bytes }) => {
    octets += bytes.length
    return octets > retention.frameBytes / 2
  })
  const newest = received.slice(Math.max(older + 1, received.length - retention.frames / 2))
  return toCapture(view, selectFrames(newest, selection, findTelecontrol(view.world)))
}

function listConfigurations({ world, session }: SessionView): KnownConfigurations {
  const plan = findTelecontrol(world)
  return new Map(
    plan.pmus.flatMap(({ idCode, link }) => {
      const configuration = streamConfigurations(plan, session.configuration.pmu_rate).get(link)
      return configuration === undefined ? [] : [[idCode, configuration] as const]
    }),
  )
}

/** The document of a session; the log of the field, which may be long, goes last and line by line. */
function* documentPieces(view: SessionView): Generator<string> {
  const { session, commands, world } = view
  const { configuration } = session
  const text = JSON.stringify(toSessionDocument({ configuration, commands, steps: world.step }), null, 2)
  const entries = view.field()
  if (entries.length === 0) {
    yield text
    return
  }
  yield `${text.slice(0, -2)},\n  "field": [`
  for (let from = 0; from < entries.length; from += 256) {
    const lines = entries.slice(from, from + 256).map((entry) => `\n    ${JSON.stringify(entry)}`)
    yield `${from === 0 ? '' : ','}${lines.join(',')}`
  }
  yield '\n  ]\n}'
}
