/** Where `npm start` keeps counters: bounded for any number of keys, and never lost by a start of another build. */

import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { choosePlacement } from '#bin/start/placement.ts'
import { askUniqueKeys } from '../soak/unique-keys.ts'
import { freePort } from '../support/process.ts'
import { greeting, onlyPort, startSluice } from '../support/start.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-start-counters-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('npm start', () => {
  it('keeps 5,000 counters of a minute in the files of 64 objects', async () => {
    const plan = { keys: 5_000, width: 20, unit: 'minute', seconds: 120, settleSeconds: 2 } as const
    const { answers, refusals, settling, isAlive, readings, output } = await askUniqueKeys(plan)
    expect(refusals).toEqual([])
    expect(answers).toEqual({ 200: 250 })
    expect({ isAlive, unanswered: settling.asked - settling.answered }).toEqual({
      isAlive: true,
      unanswered: 0,
    })
    // A database and its two side files for each object, and as much for the alarms of all.
    expect(readings.at(-1)?.files).toBeLessThanOrEqual(65 * 3)
    expect(output).not.toContain('Counters of an earlier start')
  })

  it('goes on with the counters of a build that had an object for every key', async () => {
    const persist = join(folder, 'earlier')
    mkdirSync(join(folder, 'config'))
    writeFileSync(
      join(folder, 'config/year.yaml'),
      'domain: d\ndescriptors:\n  - key: k\n    rate_limit: {unit: year, requests_per_unit: 10}\n',
    )
    const remaining = async (...args: readonly string[]) => {
      const port = await freePort()
      const state = ['--persist', persist, '--config', join(folder, 'config')]
      const program = startSluice([...onlyPort(port), ...state, ...args])
      await greeting(program)
      const body = '{"domain":"d","descriptors":[{"entries":[{"key":"k","value":"v"}]}]}'
      const response = await fetch(`http://127.0.0.1:${port}/json`, { method: 'POST', body })
      const { statuses }: { statuses: { limitRemaining: number }[] } = JSON.parse(await response.text())
      await program.stop()
      return {
        left: statuses[0]?.limitRemaining,
        warns: program.output().includes('Counters of an earlier start'),
      }
    }
    expect(await remaining('--var', 'COUNTER_PLACEMENT=per-key')).toEqual({ left: 9, warns: false })
    // What an earlier build leaves behind: objects, and nothing that says how they were placed.
    rmSync(join(persist, 'counter-placement.json'))
    expect(readdirSync(persist)).toEqual(expect.arrayContaining(['secrets.json', 'state']))
    expect(await remaining()).toEqual({ left: 8, warns: true })
    expect(await remaining('--var', 'COUNTER_PLACEMENT=shard')).toEqual({ left: 9, warns: false })
  })
})

describe('choosePlacement()', () => {
  const stateOf = (name: string) => {
    const path = join(folder, name)
    mkdirSync(join(path, 'state/index-CounterObject'), { recursive: true })
    return path
  }

  it('takes shards for a new folder, and what the setting says for any', () => {
    const path = stateOf('new')
    expect(choosePlacement(path, undefined)).toEqual({ placement: 'shard', reason: 'new' })
    expect(choosePlacement(path, undefined)).toEqual({ placement: 'shard', reason: 'kept' })
    expect(choosePlacement(path, 'Per-Key')).toEqual({ placement: 'per-key', reason: 'setting' })
    expect(choosePlacement(path, undefined)).toEqual({ placement: 'per-key', reason: 'kept' })
  })

  it('keeps the objects of an earlier build, and takes its alarms for no object', () => {
    const path = stateOf('old')
    const objects = join(path, 'state/index-CounterObject')
    writeFileSync(join(objects, 'metadata.sqlite'), '')
    expect(choosePlacement(path, undefined)).toEqual({ placement: 'shard', reason: 'new' })
    rmSync(join(path, 'counter-placement.json'))
    writeFileSync(join(objects, `${'0a'.repeat(32)}.sqlite`), '')
    expect(choosePlacement(path, undefined)).toEqual({ placement: 'per-key', reason: 'kept' })
    expect(choosePlacement(path, 'shard')).toEqual({ placement: 'shard', reason: 'setting' })
    expect(choosePlacement(path, undefined)).toEqual({ placement: 'shard', reason: 'kept' })
  })
})
