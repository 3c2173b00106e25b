import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'

let book: typeof import('#console/streamnet/name-book.ts')
let describeTransaction: typeof import('#console/streamnet/description.ts').describeTransaction

const owner = `0x${'ab'.repeat(20)}`
const other = `0x${'cd'.repeat(20)}`
const eggs = `st${'1'.repeat(30)}`
const row = (data_provider: string, stream_id: string, value_s: string) => ({ data_provider, stream_id, value_s })

beforeAll(async () => {
  // What a page has and Node has not.
  vi.stubGlobal('sessionStorage', { getItem: () => null })
  vi.stubGlobal('localStorage', { getItem: () => null, setItem() {} })
  book = await import('#console/streamnet/name-book.ts')
  ;({ describeTransaction } = await import('#console/streamnet/description.ts'))
})
beforeEach(() => {
  book.keptNames.value = new Map()
  book.offerNetworkNames([])
})
afterAll(() => vi.unstubAllGlobals())

describe('describeTransaction()', () => {
  const args = [[[owner], [eggs], [1], ['1']]]
  const transaction = {
    sender: owner,
    code: 0,
    payload: { kind: 'execute', namespace: 'main', action: 'insert_records', calls: 1, args, left_out: 0 },
  } as const

  it('says names and tags in the place of ids and addresses', () => {
    expect(describeTransaction(transaction)).toBe('0xababab…abab inserted 1 record into st111111…1111')
    book.offerNetworkNames([row(owner, eggs, 'eggs')])
    book.keepName(owner, 'the market hall')
    expect(describeTransaction(transaction)).toBe('the market hall inserted 1 record into eggs')
  })

  it('says the id where two owners name it otherwise', () => {
    book.offerNetworkNames([row(owner, eggs, 'eggs'), row(other, eggs, 'oeufs')])
    expect(describeTransaction(transaction)).toContain('into st111111…1111')
  })
})
