/** Every operation of the description has an end-to-end test through the client and through the gateway. */

import { expect, it } from 'vitest'
import { localCatalogue } from '#streamnet/catalogue/local-streams.ts'
import { catalogue } from '#streamnet/catalogue.ts'
import { sources } from './source.ts'

/** The tests that speak to the built Worker over a socket, and the example that one of them runs. */
const text = sources('test/workers/streamnet', 'examples/streamnet')
  .map((source) => source.text)
  .join('\n')

const names = catalogue.map(({ name }) => name)

it('of the client', () => {
  const calls = new Set([...text.matchAll(/\.(\w+)\(/g)].map(([, name]) => name))
  const missing = catalogue.filter(({ operation }) => !calls.has(operation)).map(({ name }) => name)
  expect(missing).toEqual([])
})

it('of the client of local streams', () => {
  const calls = new Set([...text.matchAll(/\blocal\.(\w+)\(/g)].map(([, name]) => name))
  const missing = localCatalogue.filter(({ operation }) => !calls.has(operation)).map(({ name }) => name)
  expect(missing).toEqual([])
})

it('of the gateway', () => {
  const calls = new Set([...text.matchAll(/(?:run\('|call\('\/|\/streamnet\/v1\/)(\w+)/g)].map(([, name]) => name))
  expect(names.filter((name) => !calls.has(name))).toEqual([])
})
