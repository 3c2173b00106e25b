/** The health of a deployment whose settings make no sense: 500 on every surface, and the log says why. */

import { describe, expect, it } from 'vitest'
import { startBundle } from '../support/bundle.ts'
import { host } from '../support/host.ts'

const surfaces = ['index', 'grid', 'ratelimit', 'streamnet'] as const

describe.each(surfaces)('the health of %s', (worker) => {
  const log: string[] = []
  const service = host(() => startBundle({ worker, onLine: (line) => log.push(line) }))

  const own: Readonly<Record<(typeof surfaces)[number], Readonly<Record<string, string>>>> = {
    index: { STREAMNET_PROFILE: 'foo' },
    grid: { GRID_RELAYS: 'abc' },
    ratelimit: { NEAR_LIMIT_RATIO: '7' },
    streamnet: { STREAMNET_TOKENS: '{}' },
  }
  const slips: typeof own = {
    index: { GRID_RELAY: '2' },
    grid: { GRID_TOKENS: 'x' },
    ratelimit: { NEAR_LIMT_RATIO: '0.5' },
    streamnet: { STREAMNET_PROFLE: 'head' },
  }

  it('is 200 with settings that make sense, 500 with one that cannot be read or a name that is mistyped', async () => {
    const status = async (url: string | undefined) => (await fetch(`${url}/healthcheck`)).status
    expect(await status(service.url)).toBe(200)
    for (const vars of [own[worker], slips[worker]]) {
      expect(await status(await service.restart(vars))).toBe(500)
      const [name] = Object.keys(vars)
      await expect.poll(() => log.join('\n')).toContain(`${name}`)
    }
  })
})
