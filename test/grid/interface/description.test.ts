/** What a simulation answers about itself: the catalogue of attacks, with the defaults of its network. */

import { describe, expect, it } from 'vitest'
import { attacks } from '../../../src/grid/attacks/catalogue.ts'
import { showCatalog } from '../../../src/grid/interface/description.ts'
import { startWorld } from '../../support/grid-session.ts'

describe('showCatalog()', () => {
  it('has the defaults of the table in case14, for which they were chosen', () => {
    const table = attacks.map(({ type, params }) => ({ type, params }))
    expect(JSON.parse(JSON.stringify(showCatalog({ world: startWorld() })))).toMatchObject({ attacks: table })
  })

  it('has, in another network, defaults that exist there', () => {
    const { attacks: shown } = JSON.parse(
      JSON.stringify(showCatalog({ world: startWorld({ case: 'case9' }) })),
    )
    expect(shown).toHaveLength(attacks.length)
    expect(shown).toContainEqual(
      expect.objectContaining({
        type: 'FDI_STEALTH',
        params: expect.objectContaining({ bus: { type: 'integer', default: 9, min: 1, max: 118 } }),
      }),
    )
    expect(shown).toContainEqual(
      expect.objectContaining({
        type: 'GOOSE_TRIP_SPOOF',
        params: expect.objectContaining({ breaker: expect.objectContaining({ default: 'CB-1-4' }) }),
      }),
    )
  })
})
