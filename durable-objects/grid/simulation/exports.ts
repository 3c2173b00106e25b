/** The attachments of a simulation, each made a piece at a time from what it retains. */

import type { SessionDocument } from '../../../src/grid/configuration.ts'
import { telecontrolOf } from '../../../src/grid/engine.ts'
import { GridError } from '../../../src/grid/errors.ts'
import { type CaptureFrame, captureFrames } from '../../../src/grid/export/capture.ts'
import { encodeCsv } from '../../../src/grid/export/csv.ts'
import { encodeLabels } from '../../../src/grid/export/labels.ts'
import { encodePcap } from '../../../src/grid/export/pcap.ts'
import { encodePcapng } from '../../../src/grid/export/pcapng.ts'
import { encodeStix } from '../../../src/grid/export/stix.ts'
import { capturedFrames, latestAttacked, selectIncidents } from '../../../src/grid/records/records.ts'
import { streamConfiguration } from '../../../src/grid/telecontrol/phasor-configuration.ts'
import { isExternal, type SimulationRun } from './run.ts'

/** Incidents that a STIX bundle holds as observed data. */
const observedIncidents = 20

/** What an export can be, and how it is made. */
const makers = {
  stix: encodeBundle,
  csv: (run) => encodeCsv(incidentsOf(run)),
  'csv-extended': (run) => encodeCsv(incidentsOf(run), { isExtended: true }),
  pcap: (run) => encodePcap(captureOf(run)),
  'pcap-before': (run) => encodePcap(captureOf(run), { tap: 'before' }),
  pcapng: (run) => encodePcapng(captureOf(run)),
  labels: (run) => encodeLabels(captureOf(run)),
  session: (run) => [JSON.stringify(documentOf(run), null, 2)],
} as const satisfies Record<string, (run: SimulationRun) => Iterable<string | Uint8Array>>

/** What an export can be. */
export type ExportKind = keyof typeof makers

/**
 * Makes an attachment.
 *
 * @throws GridError `capture_unavailable` where there is no frame to be captured; at once, not with the first piece.
 */
export function exportPieces(run: SimulationRun, kind: ExportKind): Iterable<string | Uint8Array> {
  return makers[kind](run)
}

function incidentsOf(run: SimulationRun) {
  return selectIncidents(run.records(), { limit: 0 }).incidents
}

function encodeBundle(run: SimulationRun): Iterable<Uint8Array> {
  const { sessionId, createdMs } = run.session()
  const frames = capturedFrames(run.records())
  const first = frames[0]?.frameNo ?? 0
  return encodeStix(latestAttacked(run.records(), observedIncidents), {
    id: sessionId,
    startedUs: createdMs * 1000,
    frame: (frameNo) => frames[frameNo - first]?.bytes,
  })
}

function captureOf(run: SimulationRun): Iterable<CaptureFrame> {
  const frames = capturedFrames(run.records())
  if (frames.length === 0) {
    throw new GridError(
      'capture_unavailable',
      isExternal(run) ? 'pcap capture not active' : 'pcap file not available',
      { hint: 'A capture exists once the simulation has run, or frames were ingested' },
    )
  }
  // Streams of an outside simulator have configurations of their own, among their frames or nowhere.
  return captureFrames(frames, isExternal(run) ? new Map() : configurationsOf(run))
}

function configurationsOf(run: SimulationRun) {
  const plan = telecontrolOf(run.world())
  const rate = run.session().configuration.pmu_rate
  return new Map(
    plan.pmus.flatMap(({ idCode, link }) => {
      const configuration = streamConfiguration(plan, link, rate)
      return configuration === undefined ? [] : [[idCode, configuration] as const]
    }),
  )
}

function documentOf(run: SimulationRun): SessionDocument {
  return {
    format: 'sluice-grid-session',
    version: 1,
    configuration: run.session().configuration,
    commands: run.commands(),
    steps: run.world().step,
  }
}
