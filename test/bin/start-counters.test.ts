/** Counters of `npm start`: bounded for any number of keys, and never lost by a start of another build. */

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { choosePlacement } from '#bin/start/state-record.ts'
import { askUniqueKeys } from '../soak/unique-keys.ts'
import { makeFolder } from '../support/folder.ts'

const folder = makeFolder()

describe('npm start', () => {
  it('keeps 5,000 counters of a minute in the files of 8 objects', async () => {
    const plan = { keys: 5_000, width: 20, unit: 'minute', seconds: 120, settleSeconds: 2 } as const
    const { answers, refusals, settling, isAlive, readings, output } = await askUniqueKeys(plan)
    expect(refusals).toEqual([])
    expect(answers).toEqual({ 200: 250 })
    expect({ isAlive, unanswered: settling.asked - settling.answered }).toEqual({ isAlive: true, unanswered: 0 })
    // A database and its two side files for each object, and as much for the alarms of all.
    expect(readings.at(-1)?.files).toBeLessThanOrEqual(9 * 3)
    expect(output).not.toContain('Counters of an earlier start')
  })
})

describe('choosePlacement()', () => {
  const stateOf = (name: string) => {
    const path = join(folder, name)
    mkdirSync(join(path, 'state/index-CounterObject'), { recursive: true })
    return path
  }

  it('takes shards for a new folder, and the setting for any folder', () => {
    const path = stateOf('new')
    expect(choosePlacement(path, undefined)).toEqual({ placement: 'shard', reason: 'new' })
    expect(choosePlacement(path, undefined)).toEqual({ placement: 'shard', reason: 'kept' })
    expect(choosePlacement(path, 'Per-Key')).toEqual({ placement: 'per-key', reason: 'setting' })
    expect(choosePlacement(path, undefined)).toEqual({ placement: 'per-key', reason: 'kept' })
  })

  it('names a file that it cannot read, and starts no counter anew', () => {
    const path = stateOf('cut')
    writeFileSync(join(path, 'state.json'), '{"placement":"per-')
    expect(() => choosePlacement(path, undefined)).toThrow(`${join(path, 'state.json')} is not JSON`)
  })
})
