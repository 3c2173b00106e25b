/** The parsers' soak in small: the same inputs as the first of the whole. */

import { expect, it } from 'vitest'
import { run } from '#soak/fuzz-parsers.soak.ts'

it('reads or refuses some hundreds of mutated inputs to each parser, and throws nothing else', async () => {
  const { violations } = await run(0.02)
  expect(violations).toEqual([])
})
