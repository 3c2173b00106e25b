/** The probe of the storage: one write for all who ask within five seconds, and its outcome for each of them. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { RatelimitEnv } from '#objects/ratelimit/env.ts'

let assertStorage: (env: RatelimitEnv) => Promise<void>
let nowMs = 0
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})
beforeEach(async () => {
  // An isolate keeps the last outcome; each test has a new one.
  vi.resetModules()
  nowMs = 1_000_000
  vi.spyOn(Date, 'now').mockImplementation(() => nowMs)
  assertStorage = (await import('#workers/ratelimit/adapters/storage-probe.ts')).assertStorage
})

/** An object whose probes end as a test says. */
function probed() {
  const state = { probes: 0, probe: async (): Promise<void> => {} }
  const probe = () => {
    state.probes += 1
    return state.probe()
  }
  // Nothing else of the environment is read.
  return { state, env: { RULE_BOOK: { getByName: () => ({ probe }) } } as unknown as RatelimitEnv }
}

describe('assertStorage()', () => {
  it('asks once in five seconds, and gives every caller the outcome', async () => {
    const { state, env } = probed()
    state.probe = () => Promise.reject(new Error('the disk is full'))
    await expect(assertStorage(env)).rejects.toThrow('the disk is full')
    state.probe = async () => {}
    nowMs += 4_999
    await expect(assertStorage(env)).rejects.toThrow('the disk is full')
    expect(state.probes).toBe(1)
    nowMs += 1
    await assertStorage(env)
    expect(state.probes).toBe(2)
  })

  it('gives a caller that asks meanwhile the outcome before', async () => {
    const { state, env } = probed()
    let fail = () => {}
    state.probe = () =>
      new Promise((_, reject) => {
        fail = () => reject('full')
      })
    const first = assertStorage(env)
    await assertStorage(env)
    fail()
    // What is thrown is an Error, for anything that the platform threw.
    await expect(first).rejects.toThrow(new Error('full'))
    await expect(assertStorage(env)).rejects.toThrow('full')
    expect(state.probes).toBe(1)
  })
})
