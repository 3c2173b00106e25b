/** quotaRules: newer rules are asked for within the bound, once for all who wait, and a failure changes nothing. */

import { expect, test } from 'vitest'
import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import { quotaRules } from '#objects/ratelimit/quota/rules.ts'
import { type ParsedFile, parseFiles } from '#ratelimit/config/compile.ts'
import { readSettings } from '#ratelimit/settings.ts'

/** A rule book that answers with these revisions and remembers what it was asked. */
function book() {
  const state = { revision: 0, files: [] as readonly ParsedFile[], fails: false, asked: [] as number[] }
  const readNewerThan = async (revision: number) => {
    state.asked.push(revision)
    if (state.fails) throw new Error('no answer')
    return state.revision > revision ? { revision: state.revision, files: state.files } : null
  }
  // Nothing else of the environment is read.
  const env = { RULE_BOOK: { getByName: () => ({ readNewerThan }) } } as unknown as RatelimitEnv
  return {
    env,
    state,
    accept(domain: string) {
      const text = `domain: ${domain}\ndescriptors: [{key: k, rate_limit: {unit: day, requests_per_unit: 5}}]\n`
      state.revision += 1
      state.files = parseFiles([{ key: 'config.a', text }])
    },
  }
}

const settings = readSettings({ RULES_MAX_STALENESS: '1s' })

test('find() distinguishes rules that were never read from a domain without rules', async () => {
  const { env, accept } = book()
  const rules = quotaRules(env, settings, () => {})
  await rules.refresh(0)
  expect(rules.find('shop')).toBeUndefined()
  accept('shop')
  await rules.refresh(1_000)
  expect(rules.find('shop')?.children.size).toBe(1)
  expect(rules.find('other')).toBeNull()
})

test('refresh() asks again when a check is as old as the bound, also after the clock was set back', async () => {
  const { env, state, accept } = book()
  accept('shop')
  let changes = 0
  const rules = quotaRules(env, settings, () => {
    changes += 1
  })
  for (const nowMs of [10_000, 10_999, 11_000, 11_500, 9_999]) await rules.refresh(nowMs)
  expect([state.asked, changes]).toEqual([[0, 1, 1], 1])
  accept('shop')
  await rules.refresh(20_000)
  expect(changes).toBe(2)
})

test('refresh() shares one question among callers at the same time', async () => {
  const { env, state } = book()
  const rules = quotaRules(env, settings, () => {})
  await Promise.all([rules.refresh(0), rules.refresh(0), rules.refresh(0)])
  expect(state.asked).toEqual([0])
})

test('refresh() that fails leaves the rules in force, and the next one asks again', async () => {
  const { env, state, accept } = book()
  accept('shop')
  const rules = quotaRules(env, settings, () => {})
  await rules.refresh(0)
  state.fails = true
  await expect(rules.refresh(1_000)).rejects.toThrow('no answer')
  expect(rules.find('shop')?.children.size).toBe(1)
  state.fails = false
  await rules.refresh(1_000)
  expect(state.asked).toEqual([0, 1, 1])
})
