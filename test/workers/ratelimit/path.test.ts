import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pathOf } from '#workers/ratelimit/path.ts'
import { sweep } from '../../support/sweep.ts'

describe('pathOf()', () => {
  it('is the path that the platform finds, for any address of a request', () => {
    fc.assert(
      fc.property(
        fc.webUrl({ withQueryParameters: true, withFragments: true, validSchemes: ['http', 'https'] }),
        (address) => {
          const { url } = new Request(address)
          expect(pathOf(url)).toBe(new URL(url).pathname)
        },
      ),
      { seed: 41, numRuns: sweep(2000) },
    )
  })

  it.each([
    ['http://h', '/'],
    ['http://h:8080/json?a=/b', '/json'],
    ['https://u@[::1]:1/a//b/#/c?d', '/a//b/'],
  ])('of %s is %s', (address, path) => {
    expect(pathOf(new URL(address).href)).toBe(path)
  })
})
