import { describe, expect, test } from 'vitest'
import { profiles } from '#devnode/profiles.ts'
import { generateStreamId } from '#streamnet/ids.ts'
import { keys, startTestNode } from '../../support/devnode.ts'

const me = keys.owner.address
const [a, b] = [generateStreamId('a'), generateStreamId('b')]

describe('a wallet of null', () => {
  const rows = {
    is_allowed_to_read: ['allow_read_wallet', [null, null]],
    is_wallet_allowed_to_write: ['allow_write_wallet', []],
  } as const

  test.each(Object.entries(rows))('%s: is any wallet that the stream names', (action, [key, rest]) => {
    const node = startTestNode()
    node.must(keys.owner, 'create_streams', [a, b], ['primitive', 'primitive'])
    node.must(keys.owner, 'insert_metadata', me, a, 'read_visibility', '1', 'int')
    const asked = () => node.view(action, [me, a, null, ...rest])
    expect(asked()).toEqual([[false]])
    node.must(keys.owner, 'insert_metadata', me, a, key, 'no reference', 'string')
    expect(asked()).toEqual([[false]])
    node.must(keys.owner, 'insert_metadata', me, a, key, keys.stranger.address, 'ref')
    expect(asked()).toEqual([[true]])
  })
})

test('is_allowed_to_compose finds a parent with capitals in its id, because references are in lower case', () => {
  const node = startTestNode({ profile: profiles.head })
  node.rpc('dev.setBalance', { bridge: 'hoodi_tt', wallet: me, amount: `${10n ** 24n}` })
  const parent = `st${'A'.repeat(30)}`
  node.must(keys.owner, 'create_streams', [a, parent], ['primitive', 'composed'])
  node.must(keys.owner, 'insert_metadata', me, a, 'compose_visibility', '1', 'int')
  node.must(keys.owner, 'insert_metadata', me, a, 'allow_compose_stream', parent, 'ref')
  expect(node.view('is_allowed_to_compose', [me, a, me, parent, null, null])).toEqual([[true]])
})
