/** The ground truth of a run as a score needs it: frames, flows, and attacks as episodes. */

import type { FrameLabel } from '../export/labels.ts'

/** One attack from its first frame to its last. */
export interface Episode {
  readonly attack: string
  readonly type: string
  readonly technique: string | null
  readonly legacyTechnique: string | null
  readonly startUs: number
  readonly endUs: number
  /** The addresses that its frames travel between, as `joinAddresses` joins them. */
  readonly pairs: ReadonlySet<string>
}

/** One frame that a detector behind the attackers can see. */
export interface TruthFrame {
  /** Its number in the capture, from 1. */
  readonly frame: number
  readonly timeUs: number
  readonly pair: string
  readonly flow: string
  /** The attack that made or changed it; null for a clean frame. */
  readonly attack: string | null
}

/** The truth of a run. */
export interface Truth {
  /** In the order of the capture. */
  readonly frames: readonly TruthFrame[]
  readonly episodes: readonly Episode[]
  readonly startUs: number
  readonly endUs: number
}

/** Gathers the truth from the lines of `/export/labels`. Frames that never arrived count for their episode only. */
export function gatherTruth(labels: Iterable<FrameLabel>): Truth {
  const frames: TruthFrame[] = []
  const episodes = new Map<string, GrowingEpisode>()
  let [startUs, endUs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const label of labels) {
    const { t_us: timeUs, pcap_frame: frame, attack_id: attack } = label
    const pair = joinAddresses(label.src, label.dst)
    startUs = Math.min(startUs, timeUs)
    endUs = Math.max(endUs, timeUs)
    if (frame !== null) frames.push({ frame, timeUs, pair, flow: joinEnds(label.src, label.dst), attack })
    if (attack !== null) addTo(episodes, attack, label, pair)
  }
  return { frames, episodes: [...episodes.values()], startUs, endUs }
}

type GrowingEpisode = { -readonly [Name in keyof Episode]: Episode[Name] } & { pairs: Set<string> }

function addTo(episodes: Map<string, GrowingEpisode>, attack: string, label: FrameLabel, pair: string): void {
  const { t_us: timeUs, label: type, technique, technique_legacy: legacyTechnique } = label
  const known = episodes.get(attack)
  if (known === undefined) {
    const pairs = new Set([pair])
    episodes.set(attack, { attack, type, technique, legacyTechnique, startUs: timeUs, endUs: timeUs, pairs })
    return
  }
  known.pairs.add(pair)
  known.startUs = Math.min(known.startUs, timeUs)
  known.endUs = Math.max(known.endUs, timeUs)
}

/** Joins two ends without their ports, in either direction. */
export function joinAddresses(source: string, target: string): string {
  return [addressOf(source), addressOf(target)].sort().join(' ')
}

/** Joins two ends with their ports, in either direction. */
export function joinEnds(source: string, target: string): string {
  return [source.toLowerCase(), target.toLowerCase()].sort().join(' ')
}

/** True for an end with a port. */
export function hasPort(end: string): boolean {
  return addressOf(end) !== end.toLowerCase()
}

/** An end such as `10.20.1.10:502` without its port; MAC addresses have none. */
export function addressOf(end: string): string {
  return /^([\d.]+):\d+$/.exec(end)?.[1] ?? end.toLowerCase()
}
