import { describe, expect, test } from 'vitest'
import { numeric } from '#streamnet/codec/value.ts'
import { composeStream, provider, startWithStream, streamId } from '../../support/attestations.ts'
import { keys } from '../../support/devnode.ts'

describe('get_high_value and get_low_value', () => {
  test('give the first of equal rows, corrected values as they are now, and nothing outside of the window', () => {
    const node = startWithStream()
    node.must(keys.owner, 'insert_record', provider, streamId, 400, numeric('42'))
    const read = (action: string, from: number, to: number) =>
      node.view(action, [provider, streamId, from, to, null]).map((row) => row.map(String))
    expect(read('get_high_value', 0, 500)).toEqual([['200', '42.000000000000000000']])
    node.must(keys.owner, 'insert_record', provider, streamId, 200, numeric('1'))
    expect(read('get_high_value', 0, 500)).toEqual([['400', '42.000000000000000000']])
    expect(read('get_low_value', 0, 500)).toEqual([['200', '1.000000000000000000']])
    expect(read('get_low_value', 201, 299)).toEqual([])
  })

  test('of a composed stream find nothing, as on the network, which compares its rows with null', () => {
    const node = startWithStream()
    const composedId = composeStream(node)
    expect(node.view('get_record', [provider, composedId, 0, 500, null])).not.toEqual([])
    expect(node.view('get_high_value', [provider, composedId, 0, 500, null])).toEqual([])
  })

  test('refuse strangers of a private stream', () => {
    const node = startWithStream()
    node.must(keys.owner, 'insert_metadata', provider, streamId, 'read_visibility', '1', 'int')
    expect(() => node.view('get_low_value', [provider, streamId, 0, 1, null], keys.stranger)).toThrow(
      'wallet not allowed to read',
    )
  })
})
