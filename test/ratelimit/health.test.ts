/** Configurations with which the service is healthy. */

import { expect, test } from 'vitest'
import { hasHealthyRules } from '#ratelimit/health.ts'
import { compileRules } from '../support/compile-rules.ts'

test('hasHealthyRules() asks for a domain only with HEALTHY_WITH_AT_LEAST_ONE_CONFIG_LOADED', () => {
  const rules = compileRules([{ key: 'config.a.yaml', text: 'domain: a' }])
  const [strict, plain] = [
    { HEALTHY_WITH_AT_LEAST_ONE_CONFIG_LOADED: true },
    { HEALTHY_WITH_AT_LEAST_ONE_CONFIG_LOADED: false },
  ]
  const none = { domains: new Map() }
  expect([null, none, rules].map((book) => hasHealthyRules(book, strict))).toEqual([false, false, true])
  expect([null, none, rules].map((book) => hasHealthyRules(book, plain))).toEqual([true, true, true])
})
