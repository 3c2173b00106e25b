/** A rate limit service that exports sampled decisions: with a dataset, without one, and with one that fails. */

import { describe, expect, it } from 'vitest'
import { startRatelimit } from '../../support/ratelimit-bundle.ts'
import { oneLimit } from '../../support/ratelimit-servers.ts'

describe('a rate limit service that exports decisions', () => {
  const files = { 'config.shop.yaml': oneLimit('shop', 'day', 2, 'login') }
  const vars = { USAGE_EXPORT_SAMPLES: '20' }
  const cases = [
    ['a dataset', { datasets: { DECISIONS: { dataset: 'sluice_decisions' } } }, 0],
    ['a binding that fails', { services: { DECISIONS: () => new Response('no') as never } }, 1],
    ['no binding', {}, 1],
  ] as const
  it.each(cases)('decides and remembers with %s', async (_, bindings, complaints) => {
    const lines: string[] = []
    const service = await startRatelimit(
      { ...bindings, vars, onLine: (line) => lines.push(line), rebuild: true },
      files,
    )
    try {
      const statuses: number[] = []
      for (let at = 0; at < 4; at++)
        statuses.push((await service.decide('shop', [[['login', 'mia']]])).status)
      expect(statuses).toEqual([200, 200, 429, 429])
      const headers = { authorization: 'Bearer test-admin-token' }
      for (let at = 0; at < 2; at++) {
        const answer = await fetch(`${service.url}/v1/usage?rule=shop.login&step=3600`, { headers })
        const { rows } = JSON.parse(await answer.text())
        expect(rows).toEqual([expect.objectContaining({ admitted: 2, refused: 2 })])
      }
      const said = () => lines.filter((line) => line.includes('Cannot export sampled decisions'))
      await expect.poll(() => said().length).toBe(complaints)
    } finally {
      await service.stop()
    }
  })
})
