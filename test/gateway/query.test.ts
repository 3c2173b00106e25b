import { describe, expect, it } from 'vitest'
import { requireEntry } from '#gateway/entries.ts'
import { readQuery } from '#gateway/query.ts'

const read = (name: string, query: string) => readQuery(requireEntry(name), new URLSearchParams(query))

describe('readQuery()', () => {
  it('reads scalars by their type and leaves the rest to the check', () => {
    expect(read('get_records', 'stream_id=st1&date_from=9007199254740993&use_cache=true&x=1')).toEqual({
      stream_id: 'st1',
      date_from: '9007199254740993',
      use_cache: true,
      x: '1',
    })
    expect(read('get_records', 'use_cache=yes&stream_id=a&stream_id=b')).toEqual({
      use_cache: 'yes',
      stream_id: ['a', 'b'],
    })
  })

  it('reads lists by repetition or as JSON, structures as JSON, broken JSON as text', () => {
    expect(read('are_members_of', 'wallets=a&wallets=b')).toEqual({ wallets: ['a', 'b'] })
    expect(read('are_members_of', 'wallets=a')).toEqual({ wallets: ['a'] })
    expect(read('are_members_of', 'wallets=["a"]')).toEqual({ wallets: ['a'] })
    expect(read('batch_stream_exists', 'locators={"a":1}&locators={')).toEqual({ locators: [{ a: 1 }, '{'] })
    expect(read('call_procedure', `args=${encodeURIComponent('["a",{"int8":1}]')}`)).toEqual({
      args: ['a', { int8: 1 }],
    })
  })
})
