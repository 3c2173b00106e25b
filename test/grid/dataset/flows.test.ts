import { expect, it } from 'vitest'
import { flowFeatures, flowTruth, openFlows } from '#grid/dataset/flows.ts'
import type { CaptureFrame } from '#grid/export/capture.ts'
import type { FrameLabel } from '#grid/export/labels.ts'

const attack = { label: 'NOISE', attack_id: 'A-1' }

/** A frame at a time in seconds from one end to the other, with its line. */
function frame(second: number, from: string, to: string, octets: number, more: Partial<FrameLabel> = {}) {
  const captured = { timeUs: second * 1e6, bytes: new Uint8Array(octets), record: { payloadLength: octets - 54 } }
  const flow = [from, to].sort().join('-')
  const line = { src: from, dst: to, flow, protocol: 'TCP', label: 'NONE', attack_id: null, ...more }
  // A table of flows reads these members only.
  return [captured as CaptureFrame, line as FrameLabel] as const
}

/** Rows as objects. */
function toRows(frames: readonly (readonly [CaptureFrame, FrameLabel])[]) {
  const table = openFlows()
  const flows = [...frames.flatMap(([one, line]) => table.add(one, line)), ...table.end()]
  return flows.map(
    ({ features, truth, isAttack }): Readonly<Record<string, unknown>> => ({
      ...Object.fromEntries(flowFeatures.map((name, at) => [name, features[at]])),
      ...Object.fromEntries(flowTruth.map((name, at) => [name, truth[at]])),
      isAttack,
    }),
  )
}

it('openFlows() counts both directions of a flow, and names its protocol and its attack', () => {
  const rows = toRows([
    frame(0, 'a', 'b', 60),
    frame(1, 'b', 'a', 100, { protocol: 'DNP3' }),
    frame(3, 'a', 'b', 80, { ...attack, protocol: 'DNP3' }),
  ])
  expect(rows).toMatchObject([
    {
      flow: 1,
      protocol: 'DNP3',
      duration_us: 3e6,
      src: 'a',
      dst: 'b',
      first_us: 0,
      last_us: 3e6,
      frames_forward: 2,
      frames_backward: 1,
      octets_forward: 140,
      octets_backward: 100,
      payload_backward: 46,
      gap_mean_us: 1.5e6,
      gap_deviation_us: 0.5e6,
      gap_least_us: 1e6,
      gap_most_us: 2e6,
      size_mean: 80,
      size_least: 60,
      size_most: 100,
      label: 'NOISE',
      attack_ids: 'A-1',
      attack_frames: 1,
      isAttack: true,
    },
  ])
})

it('openFlows() ends a flow after a minute, and after fifteen seconds of silence', () => {
  const long = Array.from({ length: 13 }, (_, at) => frame(at * 10, 'a', 'b', 60))
  expect(toRows(long).map(({ first_us, last_us }) => [first_us, last_us])).toEqual([
    [0, 50e6],
    [60e6, 110e6],
    [120e6, 120e6],
  ])
  const silent = toRows([
    frame(0, 'a', 'b', 60),
    frame(1, 'c', 'd', 60),
    frame(14, 'c', 'd', 60),
    frame(20, 'c', 'd', 60),
  ])
  expect(silent.map(({ flow, last_us }) => [flow, last_us])).toEqual([
    [1, 0],
    [2, 20e6],
  ])
  expect(silent[0]).toMatchObject({ gap_mean_us: null, label: 'NONE', attack_frames: 0, isAttack: false })
})

it('flowFeatures holds neither an end, a time nor a label', () => {
  const secret = new Set<string>(flowTruth.filter((name) => name !== 'flow'))
  expect(flowFeatures.filter((name) => secret.has(name) || /ip|port|mac|address|time/.test(name))).toEqual([])
})
