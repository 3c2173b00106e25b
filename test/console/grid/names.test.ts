import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { stubPage } from '#test/support/page-globals.ts'

beforeAll(() => stubPage())
afterAll(() => {
  vi.unstubAllGlobals()
})

it('listNames() leads to the simulation that has the parts', async () => {
  const { listNames } = await import('#console/grid/names.ts')
  const plan = { case: 'c', buses: [{ id: 7, x: 0, y: 0 }], branches: [], generators: [], loads: [] }
  expect(listNames(plan, null).map(({ href }) => href)).toEqual(['/console/grid?bus=7', '/console/grid?bus=7'])
  expect(listNames(plan, 'a b')[0]?.href).toBe('/console/grid?simulation=a%20b&bus=7')
  expect(listNames(undefined, null)).toEqual([])
})
