import { describe, expect, test } from 'vitest'
import { toCamelCase } from '#base/naming.ts'
import type { Parameter, ParameterType } from '#streamnet/catalogue/entry.ts'
import { localCatalogue } from '#streamnet/catalogue/local-streams.ts'
import { catalogue, findOperation } from '#streamnet/catalogue.ts'
import { NetClient, operations } from '#streamnet/index.ts'
import { LocalClient } from '#streamnet/local-client.ts'
import actionsDocument from '../vectors/streams-actions.json' with { type: 'json' }

// The tables of the interface description, row by row; the unnamed ones by the names chosen for them.
const described = `generate_stream_id deploy_stream set_allow_zeros get_allow_zeros destroy_stream wait_for_tx
batch_deploy_streams batch_stream_exists batch_filter_streams_by_existence list_streams get_current_account get_type
insert_record insert_records batch_insert_records get_records get_first_record get_index get_index_change
call_procedure execute_procedure set_taxonomy describe_taxonomy allow_compose_stream disable_compose_stream
set_compose_visibility get_compose_visibility get_allowed_compose_streams set_read_visibility get_read_visibility
allow_read_wallet disable_read_wallet get_allowed_read_wallets grant_role revoke_role are_members_of
list_role_members get_transaction_event list_transaction_fees get_history create_price_above_threshold_market
create_price_below_threshold_market create_value_in_range_market get_market_info list_markets decode_market_data
decode_query_components place_buy_order place_sell_order place_split_limit_order cancel_order change_bid change_ask
get_order_book get_user_positions get_market_depth parse_attestation_payload get_wallet_balance withdraw transfer
get_withdrawal_proof`.split(/\s+/)

test.each(described)('the catalogue has %s', (name) => {
  expect(findOperation(name)?.name).toBe(name)
})

test('findOperation() takes exact names only', () => {
  for (const name of ['', 'deployStream', 'DEPLOY_STREAM', 'constructor', '__proto__', 'iterate_streams']) {
    expect(findOperation(name)).toBeUndefined()
  }
})

test('every entry is on NetClient under the camel form of its name', () => {
  const client = new NetClient('http://node.test', '11'.repeat(32))
  for (const { name, operation } of catalogue) {
    expect(operation).toBe(toCamelCase(name))
    expect(client[operation]).toBeTypeOf('function')
  }
  expect(new Set(catalogue.map(({ name }) => name)).size).toBe(catalogue.length)
})

test('every operation is in the catalogue, iterators aside', () => {
  const listed = new Set<string>(catalogue.map(({ operation }) => operation))
  const missing = Object.keys(operations).filter((name) => !listed.has(name) && !/^(iterate|precheck)/.test(name))
  expect(missing).toEqual([])
})

const actions = new Map(actionsDocument.actions.map((action) => [action.name, action.modifiers]))

describe.each(catalogue)('$name', ({ kind, action, parameters, about }) => {
  test('ends in an action of the network of the same kind', () => {
    if (kind === 'local') return expect(action).toBeUndefined()
    // Methods of a bridge's own namespace are in no list of the network's actions.
    if (action?.startsWith('any ') || action === 'user.tx_query' || action?.startsWith('<bridge>.')) return
    const modifiers = actions.get(action?.replace('<bridge>', 'eth_truf') ?? '')
    expect(modifiers).toBeDefined()
    expect(modifiers?.includes('VIEW')).toBe(kind === 'view')
  })

  test('describes itself and its parameters', () => {
    expect(about).toMatch(/^[A-Z].*\.$/)
    const names = parameters.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    for (const parameter of parameters) assertParameter(parameter)
    const isWriting = names.includes('wait') && names.includes('description')
    expect(isWriting).toBe(kind === 'execute')
  })
})

function assertParameter({ name, type, required, default: fallback, min, max, about }: Parameter): void {
  expect(name).toMatch(/^[a-z][a-z0-9_]*$/)
  expect(about).toMatch(/^([A-Z]|active|system).*\.$/)
  if (required) expect(fallback).toBeUndefined()
  if (min !== undefined && max !== undefined) expect(min).toBeLessThan(max)
  assertType(type)
}

function assertType(type: ParameterType): void {
  if (typeof type === 'string') return
  if ('oneOf' in type) expect(type.oneOf.length).toBeGreaterThan(1)
  if ('list' in type) assertType(type.list)
  if ('record' in type) for (const member of type.record) assertType(member.type)
}

test('the bounds of parameters, each with how many operations have it', () => {
  const counts = new Map<string, number>()
  for (const { parameters } of [...catalogue, ...localCatalogue]) {
    for (const { name, min, max } of parameters) {
      const bound = `${name} ${min ?? ''}..${max ?? ''}`
      if (min !== undefined || max !== undefined) counts.set(bound, (counts.get(bound) ?? 0) + 1)
    }
  }
  expect(Object.fromEntries(counts)).toEqual({
    'block 0..': 1,
    'fee_bps 0..10000': 2,
    'from_height 0..': 2,
    'to_height 0..': 2,
    'timeout_ms 1..': 42,
    'limit 1..5000': 2,
    'offset 0..': 13,
    'block_height 0..': 1,
    'frozen_at 0..': 11,
    'time_interval 1..': 1,
    'start_date 0..': 2,
    'limit 1..10000': 7,
    'limit 1..1000': 3,
    'settle_time 1..': 5,
    'max_spread 1..50': 5,
    'min_order_size 1..': 5,
    'query_id 1..': 17,
    'limit 1..100': 2,
    'distribution_id 1..': 1,
    'price 1..99': 2,
    'amount 1..': 3,
    'true_price 1..99': 1,
    'price -99..99': 1,
    'old_price -99..-1': 1,
    'new_price -99..-1': 1,
    'new_amount 1..': 2,
    'old_price 1..99': 1,
    'new_price 1..99': 1,
    'limit 1..50': 1,
    'group_sequence 0..': 2,
  })
})

const local = new LocalClient('http://node.test:8485')

test('every operation of LocalClient is in its catalogue, and the other way round', () => {
  const methods = Object.getOwnPropertyNames(LocalClient.prototype).filter((name) => name !== 'constructor')
  expect(localCatalogue.map(({ operation }) => operation).sort()).toEqual(methods.sort())
})

test.each(localCatalogue)('$action describes itself and its parameters', ({ name, operation, parameters, about }) => {
  expect(operation).toBe(toCamelCase(name))
  expect(local[operation]).toBeTypeOf('function')
  expect(about).toMatch(/^[A-Z].*\.$/)
  for (const parameter of parameters) assertParameter(parameter)
})
