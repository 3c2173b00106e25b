/** A data set in the programs of its users: tshark, capinfos, pandas, and the score of a perfect detector. */

import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it, vi } from 'vitest'
import { makeDataset } from '#bin/grid/dataset.ts'
import { scoreFiles } from '#bin/grid/score-files.ts'
import { makeFolder } from '../support/folder.ts'
import { orderOf, sessionDocument, startWorld } from '../support/grid-session.ts'
import { findProgram } from '../support/process.ts'

const tshark = findProgram('tshark')
const capinfos = findProgram('capinfos')
/** A Python with pandas: that of `.ci/run`, or the one that DATASET_PYTHON names. */
const python = process.env.DATASET_PYTHON ?? 'python3'
const pandas = spawnSync(python, ['-c', 'import pandas']).status === 0
const noTshark = tshark === null || capinfos === null ? ' (skipped without tshark and capinfos)' : ''
const noPandas = pandas ? '' : ` (skipped: ${python} has no pandas; .ci/run installs it)`

const folder = makeFolder()
const out = join(folder, 'out')
let run: { readonly frames: number; readonly flows: number; readonly attackFrames: Readonly<Record<string, number>> }

beforeAll(async () => {
  const order = { ...orderOf(startWorld(), 'DNP3_CONTROL'), attack_id: 'A-1' }
  const session = sessionDocument({
    commands: [
      { kind: 'enable', step: 200, order },
      { kind: 'disable', step: 300, attackIds: ['A-1'] },
    ],
    steps: 500,
  })
  writeFileSync(join(folder, 'control.json'), JSON.stringify(session))
  expect(await makeDataset([join(folder, 'control.json'), '--out', out, '--runs', '1'])).toBe(0)
  run = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8')).runs[0]
})

function runProgram(program: string | null, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program ?? '', [...args], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr}`)
  return stdout
}

const capture = join(out, 'data/control-001/capture-001.pcapng')

it.skipIf(noTshark !== '')(`tshark and capinfos read the capture, frame by frame as labelled${noTshark}`, () => {
  expect(runProgram(capinfos, '-c', '-M', capture)).toMatch(new RegExp(`Number of packets:\\s+${run.frames}\\b`))
  const fields = runProgram(
    tshark,
    '-n',
    '-r',
    capture,
    '-T',
    'fields',
    '-e',
    'frame.number',
    '-e',
    'frame.time_epoch',
    '-e',
    'frame.comment',
  )
  const read = fields
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'))
  const labels = readFileSync(join(out, 'truth/control-001/labels.jsonl'), 'utf8').trimEnd().split('\n')
  const captured = labels.map((line) => JSON.parse(line)).filter(({ pcap_frame }) => pcap_frame !== null)
  expect(read.map(([number, time, comment = '']) => [Number(number), Math.round(Number(time) * 1e6), comment])).toEqual(
    captured.map(({ pcap_frame, t_us }) => [pcap_frame, t_us, '']),
  )
  expect(runProgram(tshark, '-n', '-r', capture, '-Y', '_ws.malformed')).toBe('')
})

const script = `
import json, pandas, sys
out = sys.argv[1]
read = lambda path: pandas.read_csv(f'{out}/{path}')
labels = pandas.read_json(f'{out}/truth/control-001/labels.jsonl', lines=True)
features, truth = read('data/control-001/flows.csv'), read('truth/control-001/flows.csv')
measured, state = read('data/control-001/measurements.csv'), read('truth/control-001/state.csv')
joined = features.merge(truth, on='flow', validate='one_to_one')
numbers = features.drop(columns=['protocol']).dtypes.map(pandas.api.types.is_numeric_dtype)
print(json.dumps({
  'frames': int(labels.pcap_frame.notna().sum()),
  'attacked': labels[labels.pcap_frame.notna()].label.value_counts().drop('NONE').to_dict(),
  'flows': len(joined),
  'numeric': bool(numbers.all()),
  'rows': [len(measured), len(state), int((measured.t_us == state.t_us).sum())],
  'attacks': sorted(state.attacks.dropna().unique()),
}))
`

it.skipIf(noPandas !== '')(`pandas reads every table, and joins features to truth${noPandas}`, () => {
  expect(JSON.parse(runProgram(python, '-c', script, out))).toEqual({
    frames: run.frames,
    attacked: run.attackFrames,
    flows: run.flows,
    numeric: true,
    rows: [50, 50, 50],
    attacks: ['DNP3_CONTROL'],
  })
})

it('scoreFiles() gives full marks by frame to alerts on each labelled frame', async () => {
  const path = join(out, 'truth/control-001/labels.jsonl')
  const labels = readFileSync(path, 'utf8').trimEnd().split('\n')
  const attacked = labels
    .map((line) => JSON.parse(line))
    .filter(({ label, pcap_frame }) => label !== 'NONE' && pcap_frame !== null)
  const rows = attacked.map(({ t_us, pcap_frame }) => `${t_us / 1e6},${pcap_frame},rule`)
  writeFileSync(join(folder, 'alerts.csv'), `time,frame,name\n${rows.join('\n')}\n`)
  const said = vi.spyOn(console, 'log').mockImplementation(() => {})
  expect(await scoreFiles(['--labels', path, '--file', join(folder, 'alerts.csv')])).toBe(0)
  expect(JSON.parse(String(said.mock.calls[0]?.[0]))).toMatchObject({ frame: { f1: 1 }, episode: { f1: 1 } })
})
