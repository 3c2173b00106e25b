import { describe, expect, it } from 'vitest'
import { canReadComposed, jobScopes, requiredReadScopes, requiredScopes, verbOf } from '#gateway/access.ts'
import { entries, requireEntry } from '#gateway/entries.ts'

const own = `0x${'11'.repeat(20)}`
const theirs = `0x${'22'.repeat(20)}`
const streamId = `st${'a'.repeat(30)}`
const areas = (name: string, params: Readonly<Record<string, unknown>>) =>
  requiredScopes(requireEntry(name), params, own)

describe('verbOf()', () => {
  it('needs write for every operation that sends a transaction', () => {
    expect(entries.filter((entry) => verbOf(entry) === 'write').map(({ kind }) => kind)).not.toContain('view')
    expect(verbOf(requireEntry('insert_all'))).toBe('write')
    expect(verbOf(requireEntry('execute_procedure'))).toBe('write')
  })
})

describe('jobScopes()', () => {
  it('is the streams of a job, and their namespaces where they are more than a thousand', () => {
    const streams = (owner: string, count: number) =>
      Array.from({ length: count }, (_, at) => `${owner}/st${`${at}`.padStart(30, '0')}`)
    expect(jobScopes(streams(own, 1_000))).toEqual(streams(own, 1_000))
    expect(jobScopes([...streams(own, 200_000), ...streams(theirs, 1)])).toEqual([own, theirs])
    expect(jobScopes(['*'])).toEqual(['*'])
  })
})

describe('requiredScopes()', () => {
  it('finds the streams an operation touches, once each', () => {
    expect(areas('get_records', { streamId })).toEqual([`${own}/${streamId}`])
    expect(areas('get_records', { streamId, dataProvider: theirs.slice(2) })).toEqual([`${theirs}/${streamId}`])
    expect(areas('batch_insert_records', { batches: [{ streamId }, { streamId }] })).toEqual([`${own}/${streamId}`])
    expect(areas('batch_deploy_streams', { definitions: [{ streamId }] })).toEqual([`${own}/${streamId}`])
    expect(areas('batch_stream_exists', { locators: [{ streamId, dataProvider: theirs }] })).toEqual([
      `${theirs}/${streamId}`,
    ])
    expect(areas('allow_read_wallet', { streamId, walletAddress: theirs })).toEqual([`${own}/${streamId}`])
  })

  it('finds the namespace of a role, a provider or a wallet that is read', () => {
    expect(areas('grant_role', { owner: 'SYSTEM', roleName: 'r', wallets: [own] })).toEqual(['system'])
    expect(areas('list_streams', { dataProvider: theirs })).toEqual([theirs])
    expect(areas('get_wallet_balance', { bridgeIdentifier: 'eth_main', walletAddress: theirs })).toEqual([theirs])
  })

  it('requires the scope for all streams where the streams are unknown, or where tokens of the gateway are spent', () => {
    expect(areas('list_streams', {})).toEqual(['*'])
    expect(areas('call_procedure', { procedure: 'get_record', args: [] })).toEqual(['*'])
    expect(areas('transfer', { recipient: theirs, amount: '1' })).toEqual(['*'])
    expect(areas('withdraw', { recipient: theirs, amount: '1' })).toEqual(['*'])
    expect(areas('create_price_above_threshold_market', { streamId, dataProvider: theirs })).toEqual(['*'])
    expect(areas('request_attestation', { streamId, dataProvider: own })).toEqual(['*'])
    expect(areas('place_buy_order', { queryId: 1 })).toEqual(['*'])
  })

  it('requires no area for operations without a stream', () => {
    expect(areas('wait_for_tx', { txHash: '0'.repeat(64) })).toEqual([])
    for (const { name, kind } of entries) if (kind === 'local') expect(areas(name, {})).toEqual([])
  })
})

describe('requiredReadScopes()', () => {
  const child = `st${'b'.repeat(30)}`

  it("requires read on a taxonomy's children, in either form", () => {
    const entry = requireEntry('set_taxonomy')
    expect(requiredReadScopes(entry, { streamId, childStreams: { [child]: '1' } }, own)).toEqual([`${own}/${child}`])
    const childStreams = [{ stream: { streamId: child, dataProvider: theirs.slice(2) }, weight: '1' }]
    expect(requiredReadScopes(entry, { streamId, childStreams }, own)).toEqual([`${theirs}/${child}`])
  })

  it('requires nothing for operations that read no other stream', () => {
    expect(requiredReadScopes(requireEntry('insert_record'), { streamId }, own)).toEqual([])
  })
})

describe('access of the catalogue', () => {
  it('is constituents for every read of values, and for no read of what a stream is', () => {
    const reads = entries.filter(({ access }) => access === 'constituents').map(({ name }) => name)
    expect(reads.sort()).toEqual([
      'get_first_record',
      'get_high_value',
      'get_index',
      'get_index_change',
      'get_last_record',
      'get_low_value',
      'get_records',
    ])
  })
})

describe('canReadComposed()', () => {
  const stream = `${own}/${streamId}`

  it('holds for a scope for all streams, and for the composed stream as a whole', () => {
    expect(canReadComposed({ scopes: [{ verb: 'read', area: '*' }] }, stream)).toBe(true)
    expect(canReadComposed({ scopes: [{ verb: 'read', area: stream, isComposed: true }] }, stream)).toBe(true)
  })

  it('does not hold for the stream, its namespace, or writing', () => {
    expect(canReadComposed({ scopes: [{ verb: 'read', area: stream }] }, stream)).toBe(false)
    expect(canReadComposed({ scopes: [{ verb: 'read', area: own }] }, stream)).toBe(false)
    expect(canReadComposed({ scopes: [{ verb: 'write', area: '*' }] }, stream)).toBe(false)
  })
})
