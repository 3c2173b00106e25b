/** The wait of a blocked key: to the end of the block, and of the window where the counter is over as well. */

import { describe, expect, it } from 'vitest'
import { type KnownBlocks, withBlockExpiry } from '#objects/ratelimit/block-expiry.ts'
import type { CounterHit, Hits } from '#ratelimit/ports.ts'

const now = 1_000
const hits: readonly CounterHit[] = ['a', 'b'].map((key) => ({ key, unit: 'HOUR', addend: 1 }))
const counted: readonly Hits[] = [
  { after: 1_000_000, secondsUntilReset: 500 },
  { after: 2, secondsUntilReset: 500 },
]

/** Blocks where only the first counter looks raised. */
function blocks(known: Partial<KnownBlocks> = {}): KnownBlocks {
  return {
    mayBeRaised: (_, at) => at === 0,
    blockedUntil: async () => null,
    wasRaised: () => false,
    isOver: () => false,
    ...known,
  }
}
const seconds = async (known: KnownBlocks) =>
  (await withBlockExpiry(hits, counted, now, known)).map(({ secondsUntilReset }) => secondsUntilReset)

describe('withBlockExpiry()', () => {
  it('asks nothing, and answers what it was given, where no counter looks raised', () => {
    const asked = () => {
      throw new Error('asked')
    }
    const known = { mayBeRaised: () => false, blockedUntil: asked, wasRaised: asked, isOver: asked }
    expect(withBlockExpiry(hits, counted, now, known)).toBe(counted)
  })

  it('ends with the block, and with the later of block and window where the counter is over as well', async () => {
    const isOver = () => true
    expect(await seconds(blocks({ blockedUntil: async () => now + 30 }))).toEqual([30, 500])
    expect(await seconds(blocks({ blockedUntil: async () => now + 900 }))).toEqual([900, 500])
    expect(await seconds(blocks({ blockedUntil: async () => now + 30, isOver }))).toEqual([500, 500])
    expect(await seconds(blocks({ blockedUntil: async () => now + 900, isOver }))).toEqual([900, 500])
    expect(await seconds(blocks({ blockedUntil: async () => now - 5 }))).toEqual([1, 500])
  })

  it('is remembered for a second where a raised counter has no block that is known', async () => {
    expect(await seconds(blocks({ wasRaised: () => true }))).toEqual([1, 500])
    const silent = () => Promise.reject(new Error('the keeper does not answer'))
    expect(await seconds(blocks({ blockedUntil: silent, wasRaised: async () => true }))).toEqual([1, 500])
  })

  it('leaves a counter as it is that no block raised: it has very many hits', async () => {
    expect(await seconds(blocks())).toEqual([500, 500])
  })
})
