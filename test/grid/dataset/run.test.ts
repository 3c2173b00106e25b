import { expect, it } from 'vitest'
import { defaultConfiguration } from '#grid/configuration.ts'
import { planRuns } from '#grid/dataset/plan.ts'
import { computeRun, type RunCounts } from '#grid/dataset/run.ts'
import { readSource } from '#grid/dataset/source.ts'
import { readCapture } from '#grid/export/read-capture.ts'
import { sessionDocument } from '../../support/grid-session.ts'

const session = sessionDocument({
  configuration: { ...defaultConfiguration, case: 'case9' },
  commands: [
    {
      kind: 'enable',
      step: 100,
      order: {
        attack_id: 'A-1',
        type: 'NOISE',
        params: { noise_std: 2 },
        schedule: { start_frame: 0, duration_frames: 0 },
        target_link: null,
        seed: 3,
      },
    },
    { kind: 'disable', step: 200, attackIds: ['A-1'] },
  ],
  steps: 300,
})
const source = readSource('false-data', session)

/** The files of a run as they are on disk. */
function compute(octets: number, seconds?: number): { files: ReadonlyMap<string, Buffer>; counts: RunCounts } {
  const [run] = planRuns([source], { runs: 1, seed: 1 })
  if (run === undefined) throw new Error('no run was planned')
  const files = new Map<string, Buffer>()
  const pieces = computeRun(run, { octets, ...(seconds !== undefined && { seconds }) })
  for (;;) {
    const next = pieces.next()
    if (next.done) return { files, counts: next.value }
    const { path, bytes } = next.value
    files.set(path, Buffer.concat([files.get(path) ?? Buffer.alloc(0), bytes]))
  }
}

const whole = compute(1e9)
const linesOf = (path: string) => String(whole.files.get(path)).trimEnd().split(/\r?\n/)
const labels = linesOf('truth/false-data-001/labels.jsonl').map((line) => JSON.parse(line))
const frames = readCapture(new Uint8Array(whole.files.get('data/false-data-001/capture-001.pcapng') ?? []))

it('computeRun() gives the same octets again', () => {
  const { files, counts } = compute(1e9)
  expect([...files.keys(), counts]).toEqual([...whole.files.keys(), whole.counts])
  expect([...files].filter(([path, octets]) => whole.files.get(path)?.equals(octets) !== true)).toEqual([])
})

it('computeRun() labels each frame of the capture by its number, and counts what attacks made', () => {
  expect(frames.length).toBe(whole.counts.frames)
  const captured = labels.filter(({ pcap_frame }) => pcap_frame !== null)
  expect(captured.map(({ pcap_frame }) => pcap_frame)).toEqual(frames.map((_, at) => at + 1))
  expect(captured.map(({ t_us }) => t_us)).toEqual(frames.map(({ timeUs }) => timeUs))
  const attacked = captured.filter(({ attack_id }) => attack_id === 'A-1')
  expect(attacked.length).toBeGreaterThan(0)
  expect(whole.counts.attackFrames).toEqual({ NOISE: attacked.length })
})

it('computeRun() writes one capture in files that a bound ends, with the same frames', () => {
  const { files } = compute(40_000)
  const captures = [...files].filter(([path]) => path.endsWith('.pcapng'))
  expect(captures.map(([path]) => path.slice(-18))).toEqual(captures.map((_, at) => `capture-00${at + 1}.pcapng`))
  expect(captures.length).toBeGreaterThan(3)
  expect(captures.every(([, octets]) => octets.length < 42_000)).toBe(true)
  expect(captures.flatMap(([, octets]) => readCapture(new Uint8Array(octets)))).toEqual(frames)
})

it('computeRun() begins another file when one is as old as the bound says, with the same frames', () => {
  const { files } = compute(1e9, 10)
  const captures = [...files].filter(([path]) => path.endsWith('.pcapng'))
  const read = captures.map(([, octets]) => readCapture(new Uint8Array(octets)))
  expect(read.length).toBe(3)
  expect(read.flat()).toEqual(frames)
  for (const part of read) {
    const ageUs = (part.at(-1)?.timeUs ?? 0) - (part[0]?.timeUs ?? 0)
    expect(ageUs > 9_000_000 && ageUs < 10_000_000).toBe(true)
  }
})

it('computeRun() cuts every frame into a flow, whose truth is in the other folder', () => {
  const [features, truth] = ['data', 'truth'].map((part) => linesOf(`${part}/false-data-001/flows.csv`).slice(1))
  expect(features?.map((row) => row.split(',')[0])).toEqual(truth?.map((row) => row.split(',')[0]))
  const counted = features?.flatMap((row) => row.split(',').slice(3, 5).map(Number))
  expect(counted?.reduce((sum, count) => sum + count, 0)).toBe(frames.length)
  const attacked = truth?.map((row) => Number(row.split(',').at(-1))) ?? []
  expect(attacked.reduce((sum, count) => sum + count, 0)).toBe(whole.counts.attackFrames.NOISE)
  expect(attacked.filter((count) => count > 0).length).toBe(whole.counts.attackFlows)
})

it('computeRun() writes a row of measurements and of the truth for each second', () => {
  const rows = ['data/false-data-001/measurements.csv', 'truth/false-data-001/state.csv'].map(linesOf)
  const start = Number(rows[0]?.[1]?.split(',')[0])
  for (const [head = '', ...seconds] of rows) {
    expect(seconds.map((row) => Number(row.split(',')[0]))).toEqual(seconds.map((_, at) => start + at * 1e6))
    expect(seconds.every((row) => row.split(',').length === head.split(',').length)).toBe(true)
    expect(seconds.length).toBe(30)
  }
  const enabled = rows[1]?.slice(1).map((row) => row.split(',')[1]) ?? []
  expect(new Set(enabled)).toEqual(new Set(['', 'NOISE']))
})

it('computeRun() puts nothing of the truth where a detector may see it', () => {
  for (const [path, octets] of whole.files) {
    if (path.startsWith('data/')) expect(octets.includes('NOISE') || octets.includes('A-1')).toBe(false)
  }
})
