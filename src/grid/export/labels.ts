/** The ground truth of a capture as JSON lines: one line for each retained frame. */

import { type ChangeReader, openChangeReader } from '../records/evidence.ts'
import { fieldAddress } from '../telecontrol/telecontrol.ts'
import type { FieldChange, IncidentStatus, PacketLabel } from '../types.ts'
import type { CaptureFrame } from './capture.ts'
import { inTextChunks } from './chunk.ts'

/**
 * Yields a line of JSON for each frame, with its numbers in both files of the capture, from 1: `pcap_frame` is null for
 * frames that classic PCAP lacks, `pcapng_frame_before` is the place of a clean frame before the attackers.
 */
export function encodeLabels(frames: Iterable<CaptureFrame>): Generator<Uint8Array> {
  return inTextChunks(lines(frames))
}

function* lines(frames: Iterable<CaptureFrame>): Generator<string> {
  for (const label of listLabels(frames, openChangeReader())) yield `${JSON.stringify(label)}\n`
}

/** One line: the place of a frame, and its ground truth; a clean one has the label `NONE`. */
export interface FrameLabel {
  readonly frame_no: number
  readonly pcap_frame: number | null
  readonly pcapng_frame: number
  readonly pcapng_frame_before: number | null
  readonly t_us: number
  readonly protocol: string
  readonly flow: string
  readonly src: string
  readonly dst: string
  /** `field` for what a master from outside sends and gets. */
  readonly origin: 'field' | 'simulation'
  readonly tap: 'before' | 'after'
  readonly status: IncidentStatus
  readonly label: string
  readonly attack_id: string | null
  readonly technique: string | null
  readonly technique_legacy: string | null
  readonly changes: readonly FieldChange[]
}

/** Yields the lines as values; their `changes` are empty where `readChanges` is null. */
export function* listLabels(frames: Iterable<CaptureFrame>, readChanges: ChangeReader | null): Generator<FrameLabel> {
  const label = openLabeller(readChanges)
  for (const frame of frames) {
    const line = label(frame)
    if (line !== null) yield line
  }
}

/** Makes a function that takes the frames of a capture in order, and returns the line of each, or null without one. */
export function openLabeller(readChanges: ChangeReader | null): (frame: CaptureFrame) => FrameLabel | null {
  let pcap = 0
  let pcapng = 0
  let before: number | null = null
  return ({ tap, status, label, record, timeUs }) => {
    pcapng++
    if (tap === 'after') pcap++
    if (record === undefined) return null
    // A clean frame is in the capture twice and has one line, that of its second sighting.
    if (tap === 'before' && status === 'clean' && record.tap === 'after') {
      before = pcapng
      return null
    }
    const sightedBefore = status === 'clean' ? before : null
    return {
      frame_no: record.frameNo,
      pcap_frame: tap === 'after' ? pcap : null,
      pcapng_frame: pcapng,
      pcapng_frame_before: tap === 'before' ? pcapng : sightedBefore,
      t_us: timeUs,
      protocol: record.protocol,
      flow: record.flow,
      src: record.src,
      dst: record.dst,
      origin: record.flow.includes(`${fieldAddress}:`) ? 'field' : 'simulation',
      tap,
      status,
      ...toTruth(label, readChanges),
    }
  }
}

type FrameTruth = Pick<FrameLabel, 'label' | 'attack_id' | 'technique' | 'technique_legacy' | 'changes'>

function toTruth(label: PacketLabel | null, readChanges: ChangeReader | null): FrameTruth {
  return {
    label: label?.attack_type ?? 'NONE',
    attack_id: label?.attack_id ?? null,
    technique: label?.technique?.id ?? null,
    technique_legacy: label?.technique?.legacy_id ?? null,
    changes: label === null || readChanges === null ? [] : readChanges(label),
  }
}
