import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { bundleWorkers } from '#bin/bundle-workers.ts'
import { findProgram } from '../support/process.ts'
import { adminToken, startRatelimit } from '../support/ratelimit-bundle.ts'

const promtool = findProgram('promtool')
const rules = {
  'config.shop.yaml': `domain: shop
descriptors:
  - key: tenant
    detailed_metric: true
    rate_limit: { unit: day, requests_per_unit: 1 }
    descriptors: [{ key: route, rate_limit: { unit: day, requests_per_unit: 1 } }]
`,
}

describe.skipIf(promtool === null)('promtool check metrics (skipped without promtool)', () => {
  it('accepts /metrics, with any runtime values', async () => {
    await bundleWorkers(['ratelimit'])
    const service = await startRatelimit(
      { vars: { LOCAL_CACHE_SIZE_IN_BYTES: '100000', EXTRA_TAGS: 'zone:a"b\\c' } },
      rules,
    )
    for (const tenant of ['plain', 'with "quotes"', 'back\\slash', 'Zürich', '10.0.0.1', 'q{r}=x,w']) {
      for (let hit = 0; hit < 3; hit++)
        await service.decide('shop', [
          [['tenant', tenant]],
          [
            ['tenant', tenant],
            ['route', '/'],
          ],
        ])
    }
    await service.decide('nobody', [[['k', 'v']]])
    const response = await fetch(`${service.url}/metrics`, { headers: { authorization: `Bearer ${adminToken}` } })
    const text = await response.text()
    expect(text).toMatch(/^ratelimit_service_rate_limit_over_limit\{.*domain="shop".*\} \d+$/m)
    const { status, stdout, stderr } = spawnSync(promtool ?? 'promtool', ['check', 'metrics'], {
      input: text,
      encoding: 'utf8',
    })
    // The names are those of the reference's own mapping; anything else would be a mistake of ours.
    const complaints = (stderr + stdout).split('\n').filter((line) => line !== '')
    expect(
      complaints.filter(
        (line) =>
          !line.endsWith('counter metrics should have "_total" suffix') &&
          !/^ratelimit_localcache_\w+ .*camelCase/.test(line),
      ),
    ).toEqual([])
    expect([0, 3]).toContain(status)
    await service.stop()
  })
})
