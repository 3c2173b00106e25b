/** Computes one run of a data set, and yields the octets of its files as they grow. */

import { stepsPerSecond } from '../configuration.ts'
import { createWorld, replay, type StepOutput, type World } from '../engine.ts'
import type { CaptureFrame } from '../export/capture.ts'
import { chunkSize } from '../export/chunk.ts'
import { csvRow } from '../export/csv.ts'
import { type FrameLabel, openLabeller } from '../export/labels.ts'
import { pcapngHead, pcapngPacket } from '../export/pcapng.ts'
import { findNetwork } from '../network/find-network.ts'
import { openChangeReader } from '../records/evidence.ts'
import { planTelecontrol } from '../telecontrol/plan-telecontrol.ts'
import { type Flow, flowFeatures, flowTruth, openFlows } from './flows.ts'
import { type GrowingFiles, type GrownPart, openGrowingFiles } from './growing-files.ts'
import type { Run } from './plan.ts'
import { measurementTable, truthTable } from './state.ts'

/** Octets to be added to a file of a run. */
export interface Piece extends GrownPart {
  /** Steps that are computed so far. */
  readonly step: number
}

/** Counts of a run. */
export interface RunCounts {
  readonly frames: number
  /** Frames that an attack made or changed, by type of attack. */
  readonly attackFrames: Readonly<Record<string, number>>
  readonly flows: number
  readonly attackFlows: number
}

/** The folder of what a detector may see of a run, and the one of its truth. */
export function runFolders(id: string): { readonly data: string; readonly truth: string } {
  return { data: `data/${id}`, truth: `truth/${id}` }
}

/** Bounds of one file of a capture. */
export interface CaptureLimits {
  readonly octets: number
  /** Seconds from its first frame; absent for any length. */
  readonly seconds?: number
}

/** Follows a run while it is computed. */
export interface RunObserver {
  /** Sees the line of each frame, of both sides of the attackers. */
  readonly frame: (line: FrameLabel) => void
  /** Sees the world after each step, and what the step put out. */
  readonly step: (output: StepOutput, world: World) => void
}

const noObserver: RunObserver = { frame: () => {}, step: () => {} }

/**
 * Computes a run and yields its files.
 *
 * ```
 * data/ID/capture-001.pcapng ...  what the receivers' side of the network saw, without a comment
 * data/ID/flows.csv               features of flows
 * data/ID/measurements.csv        what the control centre knew, a row a second
 * truth/ID/labels.jsonl           each frame as `encodeLabels` writes it, without the numbers of another capture
 * truth/ID/flows.csv              ends, times and label of each flow
 * truth/ID/state.csv              the true grid and the attacks that are enabled, a row a second
 * ```
 *
 * @param limits - size and age of a file at which the next one of the capture begins.
 */
export function* computeRun(
  run: Pick<Run, 'id' | 'configuration' | 'commands' | 'steps'>,
  limits: CaptureLimits,
  observer: RunObserver = noObserver,
): Generator<Piece, RunCounts> {
  const world = createWorld(run.configuration)
  const writer = openRun(run, limits, observer)
  for (const output of replay(world, { commands: run.commands }, run.steps)) {
    writer.add(output, world)
    observer.step(output, world)
    for (const piece of writer.take(chunkSize)) yield { ...piece, step: world.step }
  }
  const counts = writer.end()
  for (const piece of writer.take(0)) yield { ...piece, step: world.step }
  return counts
}

/** Makes a function that writes frames to the files of a capture in a folder, each within the limits. */
function openCapture(
  folder: string,
  { octets: most, seconds = Number.POSITIVE_INFINITY }: CaptureLimits,
  put: GrowingFiles['put'],
): (frame: CaptureFrame) => void {
  // The first frame begins the first file.
  let file = { number: 0, octets: Number.POSITIVE_INFINITY, firstUs: 0 }

  function putPiece(piece: Uint8Array): void {
    put(`${folder}/capture-${String(file.number).padStart(3, '0')}.pcapng`, piece)
    file.octets += piece.length
  }

  return (frame) => {
    if (file.octets >= most || (frame.timeUs - file.firstUs) / 1e6 >= seconds) {
      file = { number: file.number + 1, octets: 0, firstUs: frame.timeUs }
      for (const piece of pcapngHead(['after'])) putPiece(piece)
    }
    putPiece(pcapngPacket(frame, 0))
  }
}

/** Makes a writer of flows, as features and as truth, that counts them. */
function openFlowFiles({ data, truth }: ReturnType<typeof runFolders>, putText: GrowingFiles['putText']) {
  let [written, attacks] = [0, 0]
  putText(`${data}/flows.csv`, csvRow(flowFeatures))
  putText(`${truth}/flows.csv`, csvRow(flowTruth))
  return {
    put(flows: readonly Flow[]): void {
      for (const { features, truth: labels, isAttack } of flows) {
        written += 1
        if (isAttack) attacks += 1
        putText(`${data}/flows.csv`, csvRow(features))
        putText(`${truth}/flows.csv`, csvRow(labels))
      }
    },
    counts: () => ({ flows: written, attackFlows: attacks }),
  }
}

/** Makes a writer of the state after each second. */
function openStateFiles(
  { data, truth }: ReturnType<typeof runFolders>,
  configuration: Run['configuration'],
  putText: GrowingFiles['putText'],
): (world: World) => void {
  const network = findNetwork(configuration)
  const plan = planTelecontrol(network)
  const measurements = measurementTable(plan)
  const state = truthTable(network, plan)
  putText(`${data}/measurements.csv`, csvRow(measurements.header))
  putText(`${truth}/state.csv`, csvRow(state.header))
  return (world) => {
    putText(`${data}/measurements.csv`, csvRow(measurements.row(world)))
    putText(`${truth}/state.csv`, csvRow(state.row(world)))
  }
}

/** Writes what steps put out to the files of a run. */
function openRun(run: Pick<Run, 'id' | 'configuration'>, limits: CaptureLimits, observer: RunObserver) {
  const folders = runFolders(run.id)
  const files = openGrowingFiles()
  const label = openLabeller(openChangeReader())
  const putPacket = openCapture(folders.data, limits, files.put)
  const flows = openFlows()
  const flowFiles = openFlowFiles(folders, files.putText)
  const putState = openStateFiles(folders, run.configuration, files.putText)
  const attackFrames: Record<string, number> = {}
  let frames = 0

  function addFrame(frame: CaptureFrame): void {
    const line = label(frame)
    if (line === null) return
    observer.frame(line)
    // A data set has no capture of both sides.
    const { pcapng_frame: _, pcapng_frame_before: __, ...own } = line
    files.putText(`${folders.truth}/labels.jsonl`, `${JSON.stringify(own)}\n`)
    if (frame.tap === 'before') return
    frames += 1
    if (line.attack_id !== null) attackFrames[line.label] = (attackFrames[line.label] ?? 0) + 1
    putPacket(frame)
    flowFiles.put(flows.add(frame, line))
  }

  return {
    add(output: StepOutput, world: World) {
      for (const record of output.frames) addFrame({ ...record, record })
      if (world.step % stepsPerSecond === 0) putState(world)
    },
    end(): RunCounts {
      flowFiles.put(flows.end())
      return { frames, attackFrames, ...flowFiles.counts() }
    },
    take: files.take,
  }
}
