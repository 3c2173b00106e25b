import { expect, test } from 'vitest'
import { profiles } from '#devnode/profiles.ts'
import { keys, startTestNode } from '../../support/devnode.ts'

const streamId = `st${'a'.repeat(30)}`

test('loadSeedNetwork() pays in for its providers and the wallets of the settings in a profile with fees', () => {
  const node = startTestNode({ profile: profiles.head })
  node.rpc('dev.loadSeedNetwork')
  expect(node.view('hoodi_tt_wallet_balance', [keys.owner.address])).toEqual([[`${10n ** 24n}`]])
  expect(node.execute(keys.owner, 'create_stream', [streamId, 'primitive']).code).toBe(0)
  const free = startTestNode()
  free.rpc('dev.loadSeedNetwork')
  expect(free.view('hoodi_tt_wallet_balance', [keys.owner.address])).toEqual([['0']])
})

test('loadSeedNetwork() gives numbers to the first read, the same in every node', () => {
  const nodes = [startTestNode(), startTestNode()]
  const reads = nodes.map((node) => {
    const { streams } = node.rpc('dev.loadSeedNetwork') as {
      streams: readonly { name: string; streamId: string; dataProvider: string }[]
    }
    const living = streams.find(({ name }) => name === 'cost-of-living')
    if (living === undefined) throw new Error('the seed network has no cost of living')
    return node.view('get_index', [living.dataProvider, living.streamId, 1_735_689_600, 1_767_225_600, null, null])
  })
  expect(reads[0]).toHaveLength(365)
  expect(reads[0]).toEqual(reads[1])
  expect(reads[0]?.[0]).toEqual([1_735_689_600n, '100.000000000000000000'])
})
