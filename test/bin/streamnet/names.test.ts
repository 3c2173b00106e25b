import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readBook, withNames, withPlaces } from '#bin/streamnet/names.ts'
import { makeFolder } from '../../support/folder.ts'

const owner = `0x${'ab'.repeat(20)}`
const streamId = `st${'1'.repeat(30)}`
const folder = makeFolder()

const book = (text: string) => {
  const path = join(folder, 'book.json')
  writeFileSync(path, text)
  return readBook(path)
}
const names = book(
  JSON.stringify({ [`${owner.toUpperCase().replace('X', 'x')}/${streamId}`]: 'bread', [owner]: 'alice' }),
)

describe('readBook()', () => {
  test('reads names of streams and tags of wallets', () => {
    expect(names.streams).toEqual([{ dataProvider: owner, streamId, name: 'bread' }])
    expect([...names.wallets]).toEqual([[owner, 'alice']])
  })

  test.each([
    ['[]', 'expected an object'],
    ['{', 'JSON'],
    [`{"${owner}": 7}`, 'has no name'],
    ['{"0x12": "x"}', 'does not name a place'],
    [`{"${owner}/bread": "x"}`, 'does not name a place'],
    [`{"${owner}/${streamId}/x": "x"}`, 'does not name a place'],
  ])('refuses %s', (text, state) => {
    expect(() => book(text)).toThrow(state)
  })

  test('names the file that it cannot read', () => {
    expect(() => readBook(join(folder, 'none.json'))).toThrow(/^Cannot read the book of names ".*none.json": ENOENT/)
  })
})

describe('withPlaces()', () => {
  const read = {
    name: 'get_record',
    parameters: [
      { name: 'stream_id', type: 'stream_id', required: true, about: '' },
      { name: 'data_provider', type: 'address', required: false, about: '' },
    ],
  } as const

  test('puts owner and id in the place of a name, and an address in that of a tag', () => {
    const named = withPlaces(read, new Map([['stream', 'bread']]), names)
    expect(Object.fromEntries(named)).toEqual({ data_provider: owner, stream_id: streamId })
    const tagged = withPlaces(read, new Map(Object.entries({ stream_id: 'x', data_provider: '@alice' })), names)
    expect(Object.fromEntries(tagged)).toEqual({ data_provider: owner, stream_id: 'x' })
  })

  test('refuses a name or tag that nothing has, and a stream where none is taken', () => {
    expect(() => withPlaces(read, new Map([['stream', 'braed']]), names)).toThrow('did you mean "bread"?')
    expect(() => withPlaces(read, new Map([['data_provider', '@bob']]), names)).toThrow('0 have the tag "bob"')
    const none = { name: 'whoami', parameters: [] }
    expect(() => withPlaces(none, new Map([['stream', 'bread']]), names)).toThrow('it takes no stream_id')
  })
})

test('withNames() writes a name beside each stream and a tag beside each wallet, and changes nothing else', () => {
  const result = [
    { dataProvider: owner, streamId, height: 1n },
    { wallet: owner, bytes: new Uint8Array(1) },
    'text',
    null,
  ]
  expect(withNames(result, names)).toEqual([
    { name: 'bread', dataProvider: owner, dataProviderTag: 'alice', streamId, height: 1n },
    { wallet: owner, walletTag: 'alice', bytes: new Uint8Array(1) },
    'text',
    null,
  ])
})
