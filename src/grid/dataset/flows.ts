/** Flows of a run: frames between two ends in either direction, cut by timeouts, with features and truth. */

import type { CaptureFrame } from '../export/capture.ts'
import type { FrameLabel } from '../export/labels.ts'
import { type Column, round, toTable } from './columns.ts'

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

const features = toTable<OpenFlow>([
  ['flow', ({ number }) => number],
  ['protocol', ({ protocol }) => protocol],
  ['duration_us', ({ firstUs, lastUs }) => lastUs - firstUs],
  ...(['frames', 'octets', 'payload'] as const).flatMap((name): Column<OpenFlow>[] => [
    [`${name}_forward`, ({ forward }) => forward[name]],
    [`${name}_backward`, ({ backward }) => backward[name]],
  ]),
  ...spreadColumns('gap', '_us', ({ gapsUs }) => gapsUs),
  ...spreadColumns('size', '', ({ sizes }) => sizes),
])

/** Mean, deviation, least and most; empty cells without a value. */
function spreadColumns(name: string, unit: '_us' | '', find: (flow: OpenFlow) => Spread): readonly Column<OpenFlow>[] {
  const cell = (read: (spread: Spread) => number | null) => (flow: OpenFlow) => {
    const spread = find(flow)
    return spread.count === 0 ? null : read(spread)
  }
  return [
    [`${name}_mean${unit}`, cell(({ mean }) => round(mean, 3))],
    [`${name}_deviation${unit}`, cell(({ squares, count }) => round(Math.sqrt(squares / count), 3))],
    [`${name}_least${unit}`, cell(({ least }) => least)],
    [`${name}_most${unit}`, cell(({ most }) => most)],
  ]
}

const truth = toTable<OpenFlow>([
  ['flow', ({ number }) => number],
  ['src', ({ source }) => source],
  ['dst', ({ target }) => target],
  ['first_us', ({ firstUs }) => firstUs],
  ['last_us', ({ lastUs }) => lastUs],
  ['label', (flow) => rankAttacks(flow)[0]?.type ?? 'NONE'],
  [
    'attack_ids',
    (flow) =>
      rankAttacks(flow)
        .map(({ id }) => id)
        .join(' '),
  ],
  ['attack_frames', ({ attacks }) => [...attacks.values()].reduce((sum, { frames }) => sum + frames, 0)],
])

/** The attacks of a flow, the one with the most frames first: it names the flow. */
function rankAttacks({ attacks }: OpenFlow) {
  const ranked = [...attacks].map(([id, { type, frames }]) => ({ id, type, frames }))
  return ranked.sort((one, other) => other.frames - one.frames)
}

/** Names of the features; neither an address, a port nor a time is among them. */
export const flowFeatures = features.header

/** Names of the columns that place a flow in its capture and tell its truth. */
export const flowTruth = truth.header

/** Starts without a flow. Flows are numbered from 1 by their first frames, and end in the order of their last ones. */
export function openFlows() {
  const open = new Map<string, OpenFlow>()
  let [number, checkedUs] = [0, 0]

  function endSilent(nowUs: number): readonly Flow[] {
    // Once a second is enough: a frame of a flow that was silent too long is tested when it comes.
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
      const silent = endSilent(timeUs)
      const known = open.get(label.flow)
      if (known !== undefined && !isOver(known, timeUs)) {
        addFrame(known, frame, label)
        return silent
      }
      number += 1
      const flow = startFlow(number, frame, label)
      open.set(label.flow, flow)
      addFrame(flow, frame, label)
      return known === undefined ? silent : [...silent, toFlow(known)]
    },
    /** Ends every flow. */
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

function toFlow(flow: OpenFlow): Flow {
  return { features: features.row(flow), truth: truth.row(flow), isAttack: flow.attacks.size > 0 }
}
