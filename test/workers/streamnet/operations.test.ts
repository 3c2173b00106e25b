/** Every operation of the groups streams, records, bulk insertion, composition, permissions, roles, ledger, attestations and bridges, over HTTPS. */

import { describe, expect, it } from 'vitest'
import { attest, createSigner, generateStreamId, NetClient, toChecksumAddress } from '#streamnet/index.ts'
import { fullToken, gatewayAddress, gatewayKey, operateNode, startGateway } from '../../support/gateway-bundle.ts'
import { host } from '../../support/host.ts'
import { contractSigners } from '../../support/withdrawal-verifier.ts'

const stranger = '0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a'
const id = (name: string): string => generateStreamId(`gateway ${name}`)
const hash = /^[0-9a-f]{64}$/

const operatorToken = 'operator-token-of-the-operations'

const gateway = host(() => startGateway({ vars: { STREAMNET_ADMIN_TOKEN: operatorToken } }))

const run = (operation: string, params: unknown = {}) => gateway.run(operation, params)
const operate = (method: string, params: object) => operateNode(gateway, operatorToken, method, params)

describe('answerPost()', () => {
  /** The answer, but for the time and the id of the request. */
  async function post(path: string, body: string, headers: Readonly<Record<string, string>>) {
    const response = await fetch(`${gateway.url}/streamnet/v1/${path}`, { method: 'POST', body, headers })
    const kept = [...response.headers].filter(([name]) => name !== 'date' && name !== 'x-request-id')
    return { status: response.status, headers: kept, text: await response.text() }
  }

  it.each([
    ['a result', '{}', {}],
    ['a parameter that is none', '{"limitt":1}', {}],
    ['a body that is not JSON', '{', {}],
    ['a body that is not said to be JSON', '{}', { 'content-type': 'text/plain' }],
    ['a caller without a token', '{}', { authorization: '' }],
    ['a page of another origin', '{}', { origin: 'https://page.example' }],
  ])('answers as the router does: %s', async (_, body, headers) => {
    const all = { authorization: `Bearer ${fullToken}`, 'content-type': 'application/json', ...headers }
    // A name of which a letter is escaped is left to the router.
    expect(await post('list_streams', body, all)).toEqual(await post('list%5Fstreams', body, all))
  })
})

describe('client and streams', () => {
  it('generate_stream_id, get_current_account: nothing is sent', async () => {
    expect(await run('generate_stream_id', { name: 'abc' })).toBe(generateStreamId('abc'))
    expect(await run('get_current_account')).toBe(toChecksumAddress(gatewayAddress))
  })

  it('deploy_stream, get_type, list_streams, wait_for_tx, destroy_stream', async () => {
    const stream_id = id('deploy')
    const tx_hash = await run('deploy_stream', { stream_id })
    expect(tx_hash).toMatch(hash)
    expect(await run('wait_for_tx', { tx_hash })).toMatchObject({ hash: tx_hash, code: 0 })
    expect(await run('get_type', { stream_id })).toBe('primitive')
    expect(await run('list_streams', { data_provider: gatewayAddress })).toContainEqual(
      expect.objectContaining({ stream_id, stream_type: 'primitive', created_at: expect.any(Number) }),
    )
    expect(await run('destroy_stream', { stream_id })).toMatch(hash)
    const gone = await gateway.call('/get_type', { stream_id })
    expect(gone.status).toBe(404)
  })

  it('batch_deploy_streams, batch_stream_exists, batch_filter_streams_by_existence', async () => {
    const [one, two, none] = [id('one'), id('two'), id('none')]
    await run('batch_deploy_streams', {
      definitions: [
        { stream_id: one, stream_type: 'primitive' },
        { stream_id: two, stream_type: 'composed' },
      ],
    })
    const locators = [one, two, none].map((stream_id) => ({ stream_id, data_provider: gatewayAddress }))
    const exists = await run('batch_stream_exists', { locators })
    expect(exists.map((row: { exists: boolean }) => row.exists)).toEqual([true, true, false])
    expect(await run('batch_filter_streams_by_existence', { locators, return_existing: false })).toEqual([locators[2]])
  })

  it('set_allow_zeros, get_allow_zeros', async () => {
    const stream_id = id('zeros')
    await run('deploy_stream', { stream_id, stream_type: 'primitive' })
    expect(await run('get_allow_zeros', { stream_id })).toBe(false)
    await run('set_allow_zeros', { stream_id, flag: true })
    expect(await run('get_allow_zeros', { stream_id })).toBe(true)
  })
})

describe('records and queries', () => {
  const stream_id = id('records')

  it('insert_record, insert_records, batch_insert_records, and every digit of a value', async () => {
    await run('deploy_stream', { stream_id })
    await run('insert_record', { stream_id, record: { date: 1000, value: '100' } })
    await run('insert_records', {
      stream_id,
      records: [
        { date: 2000, value: 110.5 },
        { date: 3000, value: '0' },
      ],
    })
    await run('batch_insert_records', {
      batches: [{ stream_id, inputs: [{ date: 4000, value: '123456789012345678.123456789012345678' }] }],
    })
    const answer = await gateway.call(
      '/insert_record',
      `{"stream_id":"${stream_id}","record":{"date":5000,"value":0.123456789012345678}}`,
    )
    expect(answer.status).toBe(200)
    expect(await run('get_records', { stream_id, date_from: 1000, date_to: 9000 })).toEqual([
      { date: 1000, value: '100.000000000000000000' },
      { date: 2000, value: '110.500000000000000000' },
      { date: 4000, value: '123456789012345678.123456789012345678' },
      { date: 5000, value: '0.123456789012345678' },
    ])
  })

  it('get_records, get_first_record, get_index, get_index_change, with and without the cache', async () => {
    expect(await run('get_first_record', { stream_id })).toEqual({ date: 1000, value: '100.000000000000000000' })
    expect(await run('get_first_record', { stream_id, after_date: 8000 })).toBeNull()
    const index = await run('get_index', { stream_id, date_from: 1000, date_to: 2000, base_date: 1000 })
    expect(index.at(-1)).toEqual({ date: 2000, value: '110.500000000000000000' })
    const change = await run('get_index_change', {
      stream_id,
      date_from: 2000,
      date_to: 2000,
      time_interval: 1000,
      base_date: 1000,
    })
    expect(change).toEqual([{ date: 2000, value: '10.500000000000000000' }])
    const cached = await run('get_records', { stream_id, use_cache: true })
    expect(cached).toMatchObject({ data: [{ date: 5000 }], cache: { hit: false } })
  })

  it('get_last_record, get_high_value, get_low_value', async () => {
    const window = { stream_id, date_from: 1000, date_to: 4000 }
    expect(await run('get_last_record', { stream_id, before_date: 2000 })).toEqual({
      date: 1000,
      value: '100.000000000000000000',
    })
    expect(await run('get_last_record', { stream_id, before_date: 1000 })).toBeNull()
    expect(await run('get_last_record', { stream_id, use_cache: true })).toMatchObject({
      data: { date: 5000 },
      cache: { hit: false },
    })
    expect(await run('get_high_value', window)).toMatchObject({ date: 4000 })
    expect(await run('get_low_value', window)).toMatchObject({ date: 1000 })
    expect(await run('get_low_value', { ...window, date_from: 8000, date_to: 9000 })).toBeNull()
  })

  it('call_procedure, execute_procedure: any action, arguments with their types spelled out', async () => {
    const table = await run('call_procedure', {
      procedure: 'get_record',
      args: [gatewayAddress, stream_id, { int8: '1000' }, 2000, null],
    })
    expect(table.column_names).toEqual(['event_time', 'value'])
    expect(table.values[0]).toEqual(['1000', '100.000000000000000000'])
    const args = [[gatewayAddress, stream_id, 6000, { numeric: '7.5' }]]
    expect(await run('execute_procedure', { procedure: 'insert_record', args })).toMatch(hash)
    expect(await run('get_records', { stream_id })).toEqual([{ date: 6000, value: '7.500000000000000000' }])
  })
})

describe('composition', () => {
  it('set_taxonomy, describe_taxonomy and a composed read', async () => {
    const [child, other, parent] = [id('child'), id('other child'), id('parent')]
    await run('batch_deploy_streams', {
      definitions: [
        { stream_id: child, stream_type: 'primitive' },
        { stream_id: other, stream_type: 'primitive' },
        { stream_id: parent, stream_type: 'composed' },
      ],
    })
    await run('batch_insert_records', {
      batches: [
        { stream_id: child, inputs: [{ date: 10, value: '1' }] },
        { stream_id: other, inputs: [{ date: 10, value: '3' }] },
      ],
    })
    await run('set_taxonomy', { stream_id: parent, child_streams: { [child]: 1, [other]: '3' } })
    const taxonomy = await run('describe_taxonomy', { stream_id: parent })
    expect(taxonomy).toMatchObject({ stream_id: parent, created_at: expect.any(Number) })
    expect(taxonomy.child_streams.map((row: { stream: object }) => row.stream)).toEqual(
      expect.arrayContaining([{ stream_id: child, data_provider: gatewayAddress }]),
    )
    expect(await run('get_records', { stream_id: parent })).toEqual([{ date: 10, value: '2.500000000000000000' }])
    await run('allow_compose_stream', { stream_id: child, parent_stream_id: parent })
    expect(await run('get_allowed_compose_streams', { stream_id: child })).toEqual([parent])
    await run('disable_compose_stream', { stream_id: child, parent_stream_id: parent })
    expect(await run('get_allowed_compose_streams', { stream_id: child })).toEqual([])
  })
})

describe('permissions', () => {
  const stream_id = id('private')

  it('set and get visibility, allow and disable wallets', async () => {
    await run('deploy_stream', { stream_id })
    expect(await run('get_read_visibility', { stream_id })).toBe('public')
    await run('set_read_visibility', { stream_id, visibility: 'private' })
    expect(await run('get_read_visibility', { stream_id })).toBe('private')
    expect(await run('get_compose_visibility', { stream_id })).toBe('public')
    await run('set_compose_visibility', { stream_id, visibility: 'private' })
    expect(await run('get_compose_visibility', { stream_id })).toBe('private')
    await run('allow_read_wallet', { stream_id, wallet_address: stranger })
    expect(await run('get_allowed_read_wallets', { stream_id })).toEqual([stranger])
    await run('disable_read_wallet', { stream_id, wallet_address: stranger })
    expect(await run('get_allowed_read_wallets', { stream_id })).toEqual([])
  })
})

describe('roles', () => {
  it('grant_role, revoke_role, are_members_of, list_role_members', async () => {
    const role = { owner: 'system', role_name: 'network_writer' }
    await run('grant_role', { ...role, wallets: [stranger] })
    expect(await run('are_members_of', { ...role, wallets: [stranger] })).toEqual([
      { wallet: stranger, is_member: true },
    ])
    const members = await run('list_role_members', role)
    expect(members.map((row: { wallet: string }) => row.wallet)).toContain(stranger)
    await run('revoke_role', { ...role, wallets: [stranger] })
    expect(await run('are_members_of', { ...role, wallets: [stranger] })).toEqual([
      { wallet: stranger, is_member: false },
    ])
  })
})

describe('ledger', () => {
  it('get_transaction_event, list_transaction_fees, get_history', async () => {
    const stream_id = id('ledger')
    const tx_hash = await run('deploy_stream', { stream_id })
    const event = await run('get_transaction_event', { tx_id: tx_hash })
    expect(event).toMatchObject({
      tx_id: `0x${tx_hash}`,
      method: expect.any(String),
      fee_distributions: expect.any(Array),
    })
    expect(event.caller.toLowerCase()).toBe(gatewayAddress)
    expect(await run('list_transaction_fees', { wallet: gatewayAddress, mode: 'both' })).toEqual(expect.any(Array))
    const history = { bridge_identifier: 'eth_main', wallet_address: gatewayAddress }
    expect(await run('get_history', history)).toEqual(expect.any(Array))
    const missing = await gateway.call('/get_transaction_event', { tx_id: '0'.repeat(64) })
    expect(missing).toMatchObject({ status: 404, body: { code: 'not_found' } })
  })
})

describe('attestations', () => {
  const stream_id = id('attested')
  const question = {
    data_provider: gatewayAddress,
    stream_id,
    action_name: 'get_last_record',
    args: [gatewayAddress, stream_id, null, null, false],
  }

  it('request_attestation, list_attestations, get_signed_attestation, parse_, verify_', async () => {
    await operate('dev.setBalance', { bridge: 'hoodi_tt', wallet: gatewayAddress, amount: `1${'0'.repeat(21)}` })
    await run('deploy_stream', { stream_id })
    await run('insert_record', { stream_id, record: { date: 1000, value: '42' } })
    const request_tx_id = await run('request_attestation', question)
    const [listed] = await run('list_attestations', { request_tx_id })
    expect(listed).toMatchObject({ request_tx_id, stream_id, encrypt_sig: false })
    expect(listed.signed_height).toBe(listed.created_height + 1)
    const attestation: string = await run('get_signed_attestation', { request_tx_id })
    const signed = await run('verify_attestation_signature', { attestation })
    expect(signed.validator_address.toLowerCase()).toBe((await operate('dev.status', {})).operator)
    const parsed = await run('parse_attestation_payload', { payload: signed.canonical_payload })
    expect(parsed).toMatchObject({ action_id: 4, result: [{ values: ['1000', '42'] }] })
  })

  it('of a client at the node itself are the same', async () => {
    const signer = createSigner('4d'.repeat(32))
    await operate('dev.setBalance', { bridge: 'hoodi_tt', wallet: signer.address, amount: `1${'0'.repeat(21)}` })
    const client = new NetClient(`${gateway.url}/streamnet/node`, signer)
    await operate('dev.failNext', { error: 'signature_lost' })
    const { attestation, requestTxId } = await attest(client, {
      dataProvider: gatewayAddress,
      streamId: stream_id,
      actionName: 'get_high_value',
      args: [gatewayAddress, stream_id, 0, 2000, null],
      signatureTimeoutMs: 1,
    })
    expect(attestation.result).toEqual([{ values: ['1000', '42'] }])
    expect(await client.listAttestations({ requester: signer.address })).toHaveLength(2)
    expect(await run('list_attestations', { request_tx_id: requestTxId })).toHaveLength(1)
  })
})

describe('bridges', () => {
  const bridge_identifier = 'testnet_b'
  const wallet_address = `0x${'5b'.repeat(20)}`
  const token = 10n ** 18n

  it('get_wallet_balance, transfer, get_ordered_balances', async () => {
    const deposit = { bridge: 'hoodi_tt2', wallet: gatewayAddress, amount: `${100n * token}` }
    await operate('dev.deposit', { ...deposit, from: wallet_address, external_block_height: 7 })
    const held = () => run('get_wallet_balance', { bridge_identifier, wallet_address: gatewayAddress })
    expect(await held()).toBe(`${100n * token}`)
    expect(await run('transfer', { bridge_identifier, recipient: wallet_address, amount: `${token}` })).toMatch(hash)
    expect(await held()).toBe(`${98n * token}`)
    expect(await run('get_ordered_balances', { token: 'USDC', limit: 2 })).toEqual([
      { address: gatewayAddress, balance: `${98n * token}` },
      expect.objectContaining({ balance: `${token}` }),
    ])
    const poorer = { bridge_identifier, recipient: wallet_address, amount: `${98n * token}` }
    const refused = await gateway.call('/transfer', poorer)
    expect(JSON.stringify(refused.body)).toContain('Requires an extra 1 TT2 fee')
  })

  it('withdraw, get_withdrawal_proof, verify_withdrawal_proof, get_history', async () => {
    const withdrawal = { bridge_identifier, recipient: wallet_address, amount: `${2n * token}` }
    const tx_hash = await run('withdraw', withdrawal)
    await run('withdraw', { ...withdrawal, recipient: gatewayAddress })
    const states = async () => {
      const rows = await run('get_history', { bridge_identifier, wallet_address })
      return rows.map((row: { type: string; status: string }) => `${row.type} ${row.status}`)
    }
    expect(await states()).toEqual(['withdrawal pending_epoch', 'transfer completed', 'deposit completed'])
    expect(await run('get_withdrawal_proof', { bridge_identifier, wallet: wallet_address })).toEqual([])
    await operate('dev.advanceEpoch', { bridge: 'hoodi_tt2' })
    const [proof] = await run('get_withdrawal_proof', { bridge_identifier, wallet: wallet_address })
    const { operator } = await operate('dev.status', {})
    const contract = { ...proof, blockHash: proof.block_hash }
    expect(proof.proofs).toHaveLength(1)
    expect(contractSigners(contract)).toEqual([operator])
    expect(await run('verify_withdrawal_proof', { proof })).toEqual({
      validators: [expect.stringMatching(new RegExp(`^${operator}$`, 'i'))],
    })
    const forged = await gateway.call('/verify_withdrawal_proof', { proof: { ...proof, amount: '1' } })
    expect(forged.status).toBe(400)
    const client = new NetClient(`${gateway.url}/streamnet/node`, gatewayKey)
    const asked = { bridgeIdentifier: bridge_identifier, wallet: wallet_address }
    expect(await client.getWithdrawalProof(asked)).toHaveLength(1)
    await operate('dev.claim', { bridge: 'hoodi_tt2', wallet: wallet_address })
    expect((await states())[0]).toBe('withdrawal claimed')
    expect(await client.getWithdrawalProof(asked)).toEqual([])
    const [row] = await client.getHistory({ bridgeIdentifier: bridge_identifier, walletAddress: wallet_address })
    expect(Buffer.from(row?.internalTxHash ?? '', 'base64').toString('hex')).toBe(tx_hash)
  })
})
