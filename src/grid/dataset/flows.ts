/** Flows of a run: frames between two ends in either direction, cut as flow exporters do, with features and truth. */

import type { CaptureFrame } from '../export/capture.ts'
import type { FrameLabel } from '../export/labels.ts'

/** Longest duration of a flow, and longest silence in it, in microseconds. */
const timeouts = { activeUs: 60_000_000, idleUs: 15_000_000 } as const

interface Direction {
  frames: number
  octets: number
  payload: number
}

/** Mean and spread of values that are added one by one (Welford 1962). */
interface Spread {
  count: number
  mean: number
  squares: number
  least: number
  most: number
}

interface OpenFlow {
  readonly number: number
  readonly ends: string
  /** Of its first frame that carries a message; TCP where none does. */
  protocol: string
  /** The end that sent its first frame. */
  readonly source: string
  readonly target: string
  readonly firstUs: number
  lastUs: number
  readonly forward: Direction
  readonly backward: Direction
  readonly gapsUs: Spread
  readonly sizes: Spread
  /** Frames of each attack, by its id. */
  readonly attacks: Map<string, { readonly type: string; frames: number }>
}

/** One flow as two rows: what a detector may learn from, and what it is judged by. */
export interface Flow {
  readonly features: readonly unknown[]
  readonly truth: readonly unknown[]
  readonly isAttack: boolean
}

/** Names of the features; neither an address, a port nor a time is among them. */
export const flowFeatures: readonly string[] = [
  ...['flow', 'protocol', 'duration_us'],
  ...['frames', 'octets', 'payload'].flatMap((name) => [`${name}_forward`, `${name}_backward`]),
  ...['gap_mean_us', 'gap_deviation_us', 'gap_least_us', 'gap_most_us'],
  ...['size_mean', 'size_deviation', 'size_least', 'size_most'],
]

/** Names of the columns that place a flow in its capture and tell its truth. */
export const flowTruth = ['flow', 'src', 'dst', 'first_us', 'last_us', 'label', 'attack_ids', 'attack_frames'] as const

/** Starts without a flow. Flows are numbered from 1 by their first frames, and end in the order of their last ones. */
export function openFlows() {
  const open = new Map<string, OpenFlow>()
  let [number, checkedUs] = [0, 0]

  function endSilent(nowUs: number): readonly Flow[] {
    // A look at every flow once a second: that is exact enough, since a late frame of a silent flow is tested itself.
    if (nowUs - checkedUs < 1_000_000) return []
    checkedUs = nowUs
    const ended = [...open.values()].filter(({ lastUs }) => nowUs - lastUs >= timeouts.idleUs)
    for (const { ends } of ended) open.delete(ends)
    return ended.sort(byEnd).map(toFlow)
  }

  return {
    /** Adds a frame of the capture, and returns the flows that ended before it. */
    add(frame: CaptureFrame, label: FrameLabel) {
      const { timeUs } = frame
      let ended = endSilent(timeUs)
      let flow = open.get(label.flow)
      if (flow !== undefined && isOver(flow, timeUs)) {
        ended = [...ended, toFlow(flow)]
        flow = undefined
      }
      if (flow === undefined) {
        number += 1
        flow = startFlow(number, frame, label)
        open.set(label.flow, flow)
      }
      addFrame(flow, frame, label)
      return ended
    },
    end() {
      const left = [...open.values()].sort(byEnd).map(toFlow)
      open.clear()
      return left
    },
  }
}

function byEnd(one: OpenFlow, other: OpenFlow): number {
  return one.lastUs - other.lastUs || one.number - other.number
}

function isOver({ firstUs, lastUs }: OpenFlow, nowUs: number): boolean {
  return nowUs - firstUs >= timeouts.activeUs || nowUs - lastUs >= timeouts.idleUs
}

function startFlow(number: number, { timeUs }: CaptureFrame, { flow, protocol, src, dst }: FrameLabel): OpenFlow {
  return {
    number,
    ends: flow,
    protocol,
    source: src,
    target: dst,
    firstUs: timeUs,
    lastUs: timeUs,
    forward: { frames: 0, octets: 0, payload: 0 },
    backward: { frames: 0, octets: 0, payload: 0 },
    gapsUs: emptySpread(),
    sizes: emptySpread(),
    attacks: new Map(),
  }
}

function addFrame(flow: OpenFlow, { timeUs, bytes, record }: CaptureFrame, label: FrameLabel): void {
  const direction = label.src === flow.source ? flow.forward : flow.backward
  if (flow.sizes.count > 0) widen(flow.gapsUs, timeUs - flow.lastUs)
  flow.lastUs = timeUs
  if (flow.protocol === 'TCP') flow.protocol = label.protocol
  direction.frames += 1
  direction.octets += bytes.length
  direction.payload += record?.payloadLength ?? 0
  widen(flow.sizes, bytes.length)
  if (label.attack_id === null) return
  const known = flow.attacks.get(label.attack_id)
  if (known === undefined) flow.attacks.set(label.attack_id, { type: label.label, frames: 1 })
  else known.frames += 1
}

function emptySpread(): Spread {
  return { count: 0, mean: 0, squares: 0, least: Number.POSITIVE_INFINITY, most: Number.NEGATIVE_INFINITY }
}

function widen(spread: Spread, value: number): void {
  const off = value - spread.mean
  spread.count += 1
  spread.mean += off / spread.count
  spread.squares += off * (value - spread.mean)
  spread.least = Math.min(spread.least, value)
  spread.most = Math.max(spread.most, value)
}

/** Mean, deviation, least and most; empty fields without a value. */
function describe({ count, mean, squares, least, most }: Spread): readonly (number | null)[] {
  if (count === 0) return [null, null, null, null]
  return [round(mean), round(Math.sqrt(squares / count)), least, most]
}

function round(value: number): number {
  return Number(value.toFixed(3))
}

function toFlow(flow: OpenFlow): Flow {
  const { number, protocol, source, target, firstUs, lastUs, forward, backward, gapsUs, sizes } = flow
  // Of several attacks the one with the most frames names the flow.
  const attacks = [...flow.attacks].sort(([, one], [, other]) => other.frames - one.frames)
  const frames = attacks.reduce((sum, [, { frames: own }]) => sum + own, 0)
  return {
    features: [
      ...[number, protocol, lastUs - firstUs],
      ...(['frames', 'octets', 'payload'] as const).flatMap((name) => [forward[name], backward[name]]),
      ...[...describe(gapsUs), ...describe(sizes)],
    ],
    truth: [
      ...[number, source, target, firstUs, lastUs],
      ...[attacks[0]?.[1].type ?? 'NONE', attacks.map(([id]) => id).join(' '), frames],
    ],
    isAttack: frames > 0,
  }
}
