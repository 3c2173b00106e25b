/** The exports of a session, each produced piece by piece from the retained records. */

import type { SessionDocument } from '../configuration.ts'
import { telecontrolOf } from '../engine.ts'
import { GridError } from '../errors.ts'
import { type CaptureFrame, captureFrames, type KnownConfigurations } from '../export/capture.ts'
import { encodeCsv } from '../export/csv.ts'
import { encodeLabels } from '../export/labels.ts'
import { encodePcap } from '../export/pcap.ts'
import { encodePcapng } from '../export/pcapng.ts'
import { encodeStix, stixObservedLimit } from '../export/stix.ts'
import { capturedFrames, latestAttacked, selectIncidents } from '../records/records.ts'
import { streamConfiguration } from '../telecontrol/phasor-configuration.ts'
import { isExternal, type SessionView } from './session-view.ts'

/** The kinds of exports with their makers. */
const makers = {
  stix: encodeBundle,
  csv: (view) => encodeCsv(incidentsOf(view)),
  'csv-extended': (view) => encodeCsv(incidentsOf(view), { isExtended: true }),
  pcap: (view) => encodePcap(captureOf(view)),
  'pcap-before': (view) => encodePcap(captureOf(view), { tap: 'before' }),
  pcapng: (view) => encodePcapng(captureOf(view)),
  labels: (view) => encodeLabels(captureOf(view)),
  session: (view) => [JSON.stringify(documentOf(view), null, 2)],
} as const satisfies Record<string, (view: SessionView) => Iterable<string | Uint8Array>>

/** Kind of an export. */
export type ExportKind = keyof typeof makers

/**
 * Makes an export.
 *
 * @throws GridError capture_unavailable when there are no captured frames; at once, not with the first piece.
 */
export function exportPieces(view: SessionView, kind: ExportKind): Iterable<string | Uint8Array> {
  return makers[kind](view)
}

function incidentsOf({ records }: SessionView) {
  return selectIncidents(records, { limit: 0 }).incidents
}

function encodeBundle({ session, records }: SessionView): Iterable<Uint8Array> {
  const frames = capturedFrames(records)
  const first = frames[0]?.frameNo ?? 0
  return encodeStix(latestAttacked(records, stixObservedLimit), {
    id: session.sessionId,
    startedUs: session.createdMs * 1000,
    frame: (frameNo) => frames[frameNo - first]?.bytes,
  })
}

function captureOf(view: SessionView): Iterable<CaptureFrame> {
  const frames = capturedFrames(view.records)
  const fromOutside = isExternal(view.session.configuration)
  if (frames.length === 0) {
    throw new GridError(
      'capture_unavailable',
      fromOutside ? 'pcap capture not active' : 'pcap file not available',
      { hint: 'A capture exists once the simulation has run, or frames were ingested' },
    )
  }
  // The configurations of an outside simulator's streams are only known from its frames.
  return captureFrames(frames, fromOutside ? new Map() : configurationsOf(view))
}

function configurationsOf({ world, session }: SessionView): KnownConfigurations {
  const plan = telecontrolOf(world)
  return new Map(
    plan.pmus.flatMap(({ idCode, link }) => {
      const configuration = streamConfiguration(plan, link, session.configuration.pmu_rate)
      return configuration === undefined ? [] : [[idCode, configuration] as const]
    }),
  )
}

function documentOf({ session, commands, world }: SessionView): SessionDocument {
  return {
    format: 'sluice-grid-session',
    version: 1,
    configuration: session.configuration,
    commands,
    steps: world.step,
  }
}
