import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'

let kept: Record<string, string> = {}
let book: typeof import('#console/streamnet/name-book.ts')

const owner = `0x${'ab'.repeat(20)}`
const [eggs, milk] = [`st${'1'.repeat(30)}`, `st${'2'.repeat(30)}`]
const row = (data_provider: string, stream_id: string, value_s: string | null) => ({
  data_provider,
  stream_id,
  value_s,
})

beforeAll(async () => {
  // What a page has and Node has not.
  vi.stubGlobal('sessionStorage', { getItem: () => null })
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept[key] ?? null,
    setItem: (key: string, text: string) => {
      kept[key] = text
    },
  })
  book = await import('#console/streamnet/name-book.ts')
})
beforeEach(() => {
  kept = {}
  book.keptNames.value = new Map()
  book.offerNetworkNames([])
})
afterAll(() => vi.unstubAllGlobals())

describe('findName()', () => {
  it('gives the newest name that the network has, in any case of the owner, and none of a row without text', () => {
    book.offerNetworkNames([row(owner, eggs, 'egg'), row(owner, eggs, 'eggs'), row(owner, milk, null)])
    expect(book.findName({ data_provider: owner.toUpperCase().replace('0X', '0x'), stream_id: eggs })).toBe('eggs')
    expect(book.findName({ data_provider: owner, stream_id: milk })).toBeUndefined()
    expect(book.streamTitle({ data_provider: owner, stream_id: milk })).toBe('st222222…2222')
  })

  it('prefers the name that this browser keeps, until it is emptied', () => {
    const stream = { data_provider: owner, stream_id: eggs }
    book.offerNetworkNames([row(owner, eggs, 'eggs')])
    book.keepName(book.placeOf(stream), ' breakfast ')
    expect(book.findName(stream)).toBe('breakfast')
    expect(kept['sluice-names']).toContain('breakfast')
    book.keepName(book.placeOf(stream), '')
    expect(book.findName(stream)).toBe('eggs')
  })
})

describe('keepName()', () => {
  it('keeps what another tab has kept meanwhile', () => {
    book.keepName('0xmine', 'mine')
    kept['sluice-names'] = JSON.stringify([
      ['0xmine', 'mine'],
      ['0xtheirs', 'theirs'],
    ])
    book.keepName('0xother', 'other')
    expect(['0xmine', '0xtheirs', '0xother'].map(book.walletTitle)).toEqual(['mine', 'theirs', 'other'])
  })

  it('keeps a thousand names of 200 characters, and the newest of more', () => {
    for (let count = 0; count <= 1_000; count++) book.keepName(`0x${count}`, 'x'.repeat(300))
    expect(book.keptNames.value.size).toBe(1_000)
    expect(book.walletTitle('0x0')).toBe('0x0')
    expect(book.walletTitle('0x1000')).toHaveLength(200)
  })
})
