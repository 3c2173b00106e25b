/** Names of simulations. */

import { describe, expect, it } from 'vitest'
import { simulationName } from '#grid/interface/request-bounds.ts'

describe('simulationName', () => {
  it('is what a label of a host name may be', () => {
    for (const good of ['a', 'lab-1', 'x'.repeat(63)]) expect(good).toMatch(simulationName)
    for (const bad of ['', '-a', 'a-', 'A', 'a.b', 'a/b', 'x'.repeat(64), 'ä', 'a\n'])
      expect(bad).not.toMatch(simulationName)
  })
})
