/** `sluice grid score` with files: the score of exported labels, and the message of each mistake. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { scoreFiles } from '#bin/grid/score-files.ts'
import { makeFolder } from '../support/folder.ts'

const folder = makeFolder()
afterEach(() => vi.restoreAllMocks())

function file(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

const label = { pcap_frame: 1, t_us: 1_000_000, src: '10.0.0.1:1', dst: '10.0.0.2:2', label: 'A', attack_id: 'A-1' }
const labels = file('labels.jsonl', `${JSON.stringify({ ...label, technique: null, technique_legacy: null })}\n`)
const alerts = file('alerts.csv', 'time,frame,name\n1,1,rule\n')

async function run(...args: readonly string[]) {
  const said = vi.spyOn(console, 'log').mockImplementation(() => {})
  const wrong = vi.spyOn(console, 'error').mockImplementation(() => {})
  const code = await scoreFiles(args)
  return { code, out: String(said.mock.calls[0]?.[0] ?? ''), err: String(wrong.mock.calls[0]?.[0] ?? '') }
}

test('scoreFiles() scores alerts against exported labels', async () => {
  const { code, out } = await run('--labels', labels, '--file', alerts)
  expect(code).toBe(0)
  expect(JSON.parse(out)).toMatchObject({ frame: { f1: 1 }, attacks: [{ attack_id: 'A-1', detected: true }] })
})

test.each([
  [['--labels', labels], 'Cannot score: there is no --labels or no --file'],
  [['--labels', labels, '--file', join(folder, 'none')], 'ENOENT'],
  [['--labels', labels, '--file', alerts, '--grace=-1'], 'Cannot score: grace is "-1"'],
  [['--labels', labels, '--file', alerts, '--format', 'syslog'], 'Cannot score: format is "syslog"'],
  [['--labels', alerts, '--file', alerts], `Cannot read labels: ${alerts}:1 is not JSON`],
  [['--labels', file('other.jsonl', '{}\n'), '--file', alerts], 'other.jsonl:1 has other members'],
])('scoreFiles() with %j ends with 2 and says why', async (args, message) => {
  const { code, err } = await run(...args)
  expect([code, err]).toEqual([2, expect.stringContaining(message)])
})
