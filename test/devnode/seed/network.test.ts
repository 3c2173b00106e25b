/** The seed network in a node: who can pay in it, and the numbers of a first read. */

import { expect, test } from 'vitest'
import { profiles } from '#devnode/profiles.ts'
import { dayCount, daySeconds, firstDay } from '#devnode/seed/streams.ts'
import { keys, startTestNode } from '../../support/devnode.ts'

const streamId = `st${'a'.repeat(30)}`

/** A stream as `dev.loadSeedNetwork` names it. */
interface NamedStream {
  readonly name: string
  readonly streamId: string
  readonly dataProvider: string
}

/** Loads the network and returns its streams, whose form is that of the method. */
const load = (node: ReturnType<typeof startTestNode>) =>
  (node.rpc('dev.loadSeedNetwork') as { readonly streams: readonly NamedStream[] }).streams

test('loadSeedNetwork() pays in for the wallets of the settings and its providers in a profile with fees', () => {
  const node = startTestNode({ profile: profiles.head, managers: [keys.stranger.address] })
  const million = `${10n ** 24n}`
  const streams = load(node)
  const balanceOf = (wallet: string) => node.view('hoodi_tt_wallet_balance', [wallet])
  expect(balanceOf(keys.owner.address)).toEqual([[million]])
  expect(balanceOf(keys.stranger.address)).toEqual([[million]])
  const providers = new Set(streams.map(({ dataProvider }) => dataProvider))
  expect(providers.size).toBe(3)
  // Less what their streams and markets have cost.
  for (const wallet of providers) expect(BigInt(String(balanceOf(wallet)[0]?.[0]))).toBeGreaterThan(10n ** 23n)
  expect(node.execute(keys.owner, 'create_stream', [streamId, 'primitive']).code).toBe(0)
})

test('loadSeedNetwork() pays in nothing for the wallets of the settings in a profile without fees', () => {
  const node = startTestNode()
  load(node)
  expect(node.view('hoodi_tt_wallet_balance', [keys.owner.address])).toEqual([['0']])
})

test('loadSeedNetwork() gives numbers to the first read, the same in every node', () => {
  const reads = [startTestNode(), startTestNode()].map((node) => {
    const living = load(node).find(({ name }) => name === 'cost-of-living')
    if (living === undefined) throw new Error('the seed network has no cost of living')
    const year = [firstDay, firstDay + dayCount * daySeconds]
    return node.view('get_index', [living.dataProvider, living.streamId, ...year, null, null])
  })
  expect(reads[0]).toHaveLength(dayCount)
  expect(reads[0]).toEqual(reads[1])
  expect(reads[0]?.[0]).toEqual([BigInt(firstDay), '100.000000000000000000'])
})
