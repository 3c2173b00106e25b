/** The attachments of a session, each made a piece at a time from what it retains. */

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

/** What an export can be, and how it is made. */
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

/** What an export can be. */
export type ExportKind = keyof typeof makers

/**
 * Makes an attachment.
 *
 * @throws GridError `capture_unavailable` when there is no frame to be captured; at once, not with the first piece.
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
  // Streams of an outside simulator have configurations of their own, among their frames or nowhere.
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
