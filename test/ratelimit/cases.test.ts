/** Every recorded case, replayed on the service with proto3 JSON at its edge. */

import { describe, expect, test } from 'vitest'
import { readRequest, writeResponse } from '#proto-json/json.ts'
import { ratelimitCases, replayCase } from '../support/ratelimit-cases.ts'
import { startService } from '../support/ratelimit-service.ts'

test('there are 196 cases with names of their own', () => {
  expect(new Set(ratelimitCases.map(({ name }) => name)).size).toBe(196)
})

const byGroup = new Map<string, typeof ratelimitCases>()
for (const one of ratelimitCases) byGroup.set(one.group, [...(byGroup.get(one.group) ?? []), one])

describe.each([...byGroup])('%s', (_, cases) => {
  test.each(cases.map((one) => [one.name, one] as const))('shouldRateLimit() in case %s', async (_name, one) => {
    await replayCase(one, (begin) => startService(begin, { readRequest, writeResponse }))
  })
})
