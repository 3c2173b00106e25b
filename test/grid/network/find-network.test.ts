import { expect, it } from 'vitest'
import { findCase } from '#grid/network/cases/catalogue.ts'
import { findNetwork } from '#grid/network/find-network.ts'
import case9 from '../../../src/grid/network/cases/case9.json' with { type: 'json' }

it('findNetwork() is the built-in case, or the network that the configuration carries, the same value every time', () => {
  expect(findNetwork({ case: 'case14' })).toBe(findCase('case14'))
  const carried = findNetwork({ case: 'case14', network: case9 })
  expect(carried).toEqual(findCase('case9'))
  expect(findNetwork({ case: 'other', network: case9 })).toBe(carried)
  expect(() => findNetwork({ case: 'town' })).toThrow('Cannot load case: "town", expected case9')
})
