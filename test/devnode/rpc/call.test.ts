import { describe, expect, test } from 'vitest'
import { encodeBase64 } from '#base/base64.ts'
import { encodeActionCall } from '#streamnet/codec/payload.ts'
import { numeric } from '#streamnet/codec/value.ts'
import { keys, startTestNode } from '../../support/devnode.ts'

const streamId = `st${'a'.repeat(30)}`

describe('user.call', () => {
  test('changes nothing: an action that writes is refused', () => {
    const node = startTestNode()
    expect(() => node.call('create_stream', [streamId, 'primitive'], keys.owner)).toThrow(
      'requires a writer connection',
    )
  })

  test('gives the text of an action that refuses as an error in a success', () => {
    const answer = startTestNode().call('get_record', [keys.owner.address, streamId, null, null, null])
    expect(answer.error).toBe(`Stream does not exist: data_provider=${keys.owner.address} stream_id=${streamId}`)
    expect(answer.query_result.values).toBeNull()
  })

  test('notes in its logs that there was no cache, where one was asked for', () => {
    const node = startTestNode()
    node.must(keys.owner, 'create_stream', streamId, 'primitive')
    expect(node.call('get_record', [keys.owner.address, streamId, 1, 2, null, true]).logs).toBe(
      '1. {"cache_hit": false}',
    )
    expect(node.call('get_record', [keys.owner.address, streamId, 1, 2, null]).logs).toBe('')
  })

  test('writes values below a millionth in scientific form', () => {
    const node = startTestNode()
    node.must(keys.owner, 'create_stream', streamId, 'primitive')
    node.must(keys.owner, 'insert_record', keys.owner.address, streamId, 1, numeric('0.0000001'))
    expect(node.view('get_record', [keys.owner.address, streamId, 1, 1, null])).toEqual([[1n, '1.00000000000E-7']])
  })
})

test('user.call takes an auth_type of null for none: the caller is anonymous', () => {
  const node = startTestNode()
  const payload = encodeBase64(encodeActionCall({ namespace: '', action: 'whoami', args: [] }))
  const answer = node.rpc('user.call', { body: { payload }, sender: keys.owner.address.slice(2), auth_type: null })
  expect(answer).toMatchObject({ query_result: { values: [['']] } })
})
