/** Lists `sluice` blocks that the reference or memcached cannot count by, with their places. */

import { describe, expect, it } from 'vitest'
import { parseFiles } from '#ratelimit/config/compile.ts'
import { unknownToReference, unknownToStore } from '#ratelimit/config/sluice-blocks.ts'

const files = parseFiles([
  {
    key: 'config.shop',
    text: `domain: shop
descriptors:
  - key: a
    rate_limit: {unit: minute, requests_per_unit: 5, sluice: {algorithm: fixed}}
    descriptors:
      - key: b
        rate_limit:
          unit: minute
          sluice:
            algorithm: sliding
  - {key: c, rate_limit: {unit: hour, requests_per_unit: 5}}
`,
  },
])

describe('unknownToReference()', () => {
  it('lists every block with file, path and line', () => {
    expect(unknownToReference(files)).toMatchObject([
      { file: 'config.shop', path: 'descriptors[0].rate_limit.sluice', line: 4 },
      { file: 'config.shop', path: 'descriptors[0].descriptors[0].rate_limit.sluice', line: 10 },
    ])
    expect(unknownToReference(files)[0]?.message).toBe("the reference has no key 'sluice'")
  })
})

describe('unknownToStore()', () => {
  it('lists only blocks that change how a limit counts', () => {
    const [first, ...more] = unknownToStore(files, 'memcache')
    expect(first).toMatchObject({ path: 'descriptors[0].descriptors[0].rate_limit.sluice', line: 10 })
    expect(more).toEqual([])
  })
})
