/** `sluice grid dataset`: the folder that it writes, the same with threads, and the message of each mistake. */

import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, expect, test, vi } from 'vitest'
import { makeDataset } from '#bin/grid/dataset.ts'
import { projectRoot } from '#bin/project.ts'
import { defaultConfiguration } from '#grid/configuration.ts'
import { makeFolder } from '../support/folder.ts'
import { sessionDocument } from '../support/grid-session.ts'

const folder = makeFolder()
afterEach(() => vi.restoreAllMocks())

function file(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

const calm = file(
  'calm.json',
  JSON.stringify(sessionDocument({ configuration: { ...defaultConfiguration, case: 'case9' }, steps: 60 })),
)

const quickScenario = `name: quick
title: Quick
summary: S
briefing: B
network: case9
seed: 1
start: 2026-03-02T08:00:00Z
duration: 4
timeline:
  - { at: 1, text: D, attack: NOISE, params: { noise_std: 0.05 } }
`

const listFiles = (out: string) =>
  readdirSync(out, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(out.length + 1))
    .sort()

const out = join(folder, 'out')

test('makeDataset() writes runs, a manifest with the hash of each file, and a data sheet', async () => {
  expect(await makeDataset([calm, '--out', out, '--runs', '5', '--jobs', '1'])).toBe(0)
  const manifest = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8'))
  const named: readonly { readonly path: string; readonly octets: number; readonly sha256: string }[] =
    manifest.runs.flatMap(({ files }: { readonly files: readonly object[] }) => files)
  expect(listFiles(out)).toEqual([...named.map(({ path }) => path), 'data-sheet.md', 'manifest.json'].sort())
  for (const { path, octets, sha256 } of named) {
    const written = readFileSync(join(out, path))
    expect([path, octets, sha256]).toEqual([path, written.length, createHash('sha256').update(written).digest('hex')])
  }
  expect(manifest.runs.map(({ split }: { readonly split: string }) => split).sort()).toEqual([
    'test',
    'train',
    'train',
    'train',
    'validation',
  ])
  expect(readFileSync(join(out, 'data-sheet.md'), 'utf8')).toMatch(/^5 runs, 5 of each of 1 sources; 30 seconds, /m)
})

test('makeDataset() takes scenarios of the library and files of YAML, each by its name', async () => {
  const scenario = file('quick.yaml', quickScenario)
  const mixed = join(folder, 'mixed')
  expect(await makeDataset([scenario, calm, '--out', mixed, '--runs', '1', '--jobs', '1'])).toBe(0)
  const { sources, runs } = JSON.parse(readFileSync(join(mixed, 'manifest.json'), 'utf8'))
  expect(sources.map(({ path }: { readonly path: string }) => path)).toEqual(['quick.yaml', 'calm.json'])
  expect(runs).toMatchObject([
    { id: 'quick-001', seconds: 4, attackFrames: { NOISE: expect.any(Number) } },
    { id: 'calm-001', attackFrames: {} },
  ])
})

test('the command writes the same octets with runs side by side', async () => {
  const beside = join(folder, 'beside')
  const args = ['bin/run.mjs', 'grid', 'dataset', calm, '--out', beside, '--runs', '5', '--jobs', '2']
  await promisify(execFile)(process.execPath, args, { cwd: projectRoot })
  expect(readFileSync(join(beside, 'manifest.json'), 'utf8')).toBe(readFileSync(join(out, 'manifest.json'), 'utf8'))
})

test.each([
  [[calm], 'there is no --out'],
  [['--out', join(folder, 'new')], 'no source is named'],
  [[calm, '--out', out], 'out is not empty, expected a new folder'],
  [[calm, calm, '--out', join(folder, 'new')], 'two sources are named "calm"'],
  [[calm, '--out', join(folder, 'new'), '--runs', '0'], '--runs is "0", expected a whole number from 1 to 999'],
  [['forged-comand', '--out', join(folder, 'new')], 'Cannot find the scenario "forged-comand"'],
  [[file('wrong.yaml', 'name: x'), '--out', join(folder, 'new')], 'wrong.yaml:1: title is missing'],
  [[file('text.json', 'no'), '--out', join(folder, 'new')], 'text.json is not JSON'],
  [[file('other.json', '{}'), '--out', join(folder, 'new')], 'Cannot read the session "other": format is missing'],
])('makeDataset() with %j ends with 2 and says why', async (args, message) => {
  const wrong = vi.spyOn(console, 'error').mockImplementation(() => {})
  expect(await makeDataset(args)).toBe(2)
  expect(String(wrong.mock.calls[0]?.[0])).toContain(message)
})
