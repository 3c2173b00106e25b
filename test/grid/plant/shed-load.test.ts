/** Load that was disconnected at its buses, and returns by order. */

import { describe, expect, it } from 'vitest'
import { defaultConfiguration } from '#grid/configuration.ts'
import { createPlant } from '#grid/plant/plant.ts'
import { refuseRestoration, restoreLoad } from '#grid/plant/shed-load.ts'

describe('restoreLoad()', () => {
  it('connects one bus, or a share of every live one, and says why it cannot', () => {
    const plant = createPlant(defaultConfiguration)
    expect(refuseRestoration(plant, undefined)).toBe('no load is disconnected')
    plant.shed = { 9: 1, 13: 0.5, 14: 0.2 }
    expect(refuseRestoration(plant, 4)).toBe('no load is disconnected at bus 4')
    expect(restoreLoad(plant, 9, 1)).toEqual([9])
    expect(restoreLoad(plant, undefined, 0.3)).toEqual([13, 14])
    expect(plant.shed).toEqual({ 13: 0.2 })
    plant.frequency = { islands: [] }
    expect(refuseRestoration(plant, 13)).toBe('bus 13 is dead')
  })
})
