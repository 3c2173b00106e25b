/** Places each alert of a detector in the truth of a run: on its frame, in its flow, and beside the attacks it reports. */

import { groupBy } from '../../base/group-by.ts'
import { type Episode, hasPort, joinAddresses, joinEnds, type Truth, type TruthFrame } from './truth.ts'

/** Tolerances of the match. */
export interface MatchRules {
  /** An alert without a frame's number is placed on the frame between its ends that is nearest, within this many milliseconds. */
  readonly toleranceMs: number
  /** An alert reports an attack from its first frame to this many seconds after its last one. */
  readonly graceS: number
}

/** Tolerances where a request names none. */
export const defaultRules: MatchRules = { toleranceMs: 1, graceS: 10 }

/** An alert with its place. */
export interface Placed {
  readonly alert: Alert
  /** Null where it is on no frame. */
  readonly frame: TruthFrame | null
  /** Null where it names no flow of the run. */
  readonly flow: string | null
  /** Attacks that it reports; empty for a false alarm. */
  readonly episodes: readonly Episode[]
}

/** Makes a function that places one alert after the other. */
export function alertPlacer(
  { frames, episodes }: Truth,
  { toleranceMs, graceS }: MatchRules,
): (alert: Alert) => Placed {
  const byNumber = new Map(frames.map((frame) => [frame.frame, frame]))
  const byPair = groupBy(frames, ({ pair }) => pair)
  const flows = new Set(frames.map(({ flow }) => flow))

  /** The frame by its number, or the nearest one between the named ends. */
  function findFrame({ frame, timeUs }: Alert, pair: string | null): TruthFrame | null {
    if (frame !== null) return byNumber.get(frame) ?? null
    const between = pair === null ? [] : (byPair.get(pair) ?? [])
    const after = firstFrom(between, timeUs)
    const near = [between[after - 1], between[after]].filter((one) => one !== undefined)
    const sorted = near.sort((one, other) => Math.abs(one.timeUs - timeUs) - Math.abs(other.timeUs - timeUs))
    const [nearest] = sorted
    return nearest !== undefined && Math.abs(nearest.timeUs - timeUs) <= toleranceMs * 1000 ? nearest : null
  }

  function findFlow({ source, target, timeUs }: Alert, pair: string | null): string | null {
    if (source === null || target === null || pair === null) return null
    const named = joinEnds(source, target)
    if (hasPort(source) && hasPort(target)) return flows.has(named) ? named : null
    const between = byPair.get(pair) ?? []
    return between[firstFrom(between, timeUs + 1) - 1]?.flow ?? null
  }

  /** Tests that an alert without a frame of an attack comes during an attack, between addresses of it if it names any. */
  function isReport({ timeUs }: Alert, pair: string | null, { startUs, endUs, pairs }: Episode): boolean {
    return startUs <= timeUs && timeUs <= endUs + graceS * 1e6 && (pair === null || pairs.has(pair))
  }

  return (alert) => {
    const { source, target } = alert
    const named = source === null || target === null ? null : joinAddresses(source, target)
    const frame = findFrame(alert, named)
    const pair = named ?? frame?.pair ?? null
    // An alert on a frame of an attack reports that one only.
    const own = episodes.filter(({ attack }) => attack === frame?.attack)
    const reported = own.length > 0 ? own : episodes.filter((episode) => isReport(alert, pair, episode))
    return { alert, frame, flow: frame?.flow ?? findFlow(alert, pair), episodes: reported }
  }
}

/** The index of the first frame at or after a moment. */
function firstFrom(frames: readonly TruthFrame[], timeUs: number): number {
  let [low, high] = [0, frames.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((frames[middle]?.timeUs ?? 0) < timeUs) low = middle + 1
    else high = middle
  }
  return low
}

/** One alert. */
export interface Alert {
  /** Line of the text that it was read from, from 1. */
  readonly line: number
  /** Integer microseconds since the Unix epoch. */
  readonly timeUs: number
  /** Number of the frame in the capture, from 1; null where the detector does not say it. */
  readonly frame: number | null
  /** Addresses, each with its port where there is one; null where the detector does not say it. */
  readonly source: string | null
  readonly target: string | null
  /** Name of the rule or detector. */
  readonly name: string
  /** ATT&CK identifier, as `T0855`; null where the detector does not say it. */
  readonly technique: string | null
  /** Confidence or severity, the larger the surer; null where there is none. */
  readonly score: number | null
}
