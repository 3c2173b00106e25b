import { describe, expect, it } from 'vitest'
import { encodeBase64 } from '#base/base64.ts'
import { toJson } from '#gateway/json.ts'
import { describeTransaction, wholeBounds } from '#gateway/transaction-summary.ts'
import { encodeActionExecution } from '#streamnet/codec/payload.ts'
import { dataType } from '#streamnet/codec/value.ts'
import { parseAddress } from '#streamnet/index.ts'
import type { TransactionJson } from '#streamnet/rpc/methods.ts'
import { transactionToJson } from '#streamnet/rpc/transaction-json.ts'
import { hashTransactionSync } from '#streamnet/signing/sync-signer.ts'
import type { TypedValue } from '#streamnet/types.ts'
import { keys, signTransaction } from '../support/devnode.ts'
import { encodeTransfer } from '../support/payloads.ts'

const place = { height: 4, index: 1, time_ms: 9000 }
const text = (value: string): TypedValue => ({ type: dataType('text', false, 0, 0), value })
const texts = (value: readonly string[]): TypedValue => ({ type: dataType('text', true, 0, 0), value })
const execution = (calls: readonly (readonly TypedValue[])[]) =>
  signTransaction(keys.stranger, {
    chainId: 'fake',
    nonce: 3,
    payload: encodeActionExecution({ namespace: 'main', action: 'insert_records', calls }),
  })

describe('describeTransaction()', () => {
  it('says who runs which action with which arguments, and what became of it', () => {
    const signed = execution([[text('a'), texts(['1', '2'])]])
    const described = describeTransaction(transactionToJson(signed), { code: 5, log: 'no' }, place)
    expect(described).toMatchObject({
      ...place,
      hash: hashTransactionSync(signed),
      sender: signed.sender,
      nonce: 3,
      code: 5,
      log: 'no',
      payload: {
        kind: 'execute',
        namespace: 'main',
        action: 'insert_records',
        calls: 1,
        args: [['a', ['1', '2']]],
        left_out: 0,
      },
    })
  })

  it('shows a bounded part of a payload, and says how much is left out', () => {
    const long = Array.from({ length: 1200 }, (_, index) => String(index))
    const json = transactionToJson(execution([[texts(long)], [text('x'.repeat(900))]]))
    const brief = describeTransaction(json, { code: 0 }, place)
    expect(brief.payload).toMatchObject({ calls: 2, args: [[['0', '1', '2']]], left_out: 1198 })
    const whole = describeTransaction(json, { code: 0 }, place, wholeBounds)
    expect(whole.payload).toMatchObject({ calls: 2, left_out: 200 })
    expect(JSON.stringify(toJson(whole)).length).toBeLessThan(10_000)
    expect(JSON.stringify(toJson(whole))).toContain(`${'x'.repeat(512)}…`)
  })

  it('reads a transfer, and gives the length of a payload that it cannot read', () => {
    const base = transactionToJson(execution([[]]))
    const withPayload = (type: string, payload: Uint8Array): TransactionJson => ({
      ...base,
      body: { ...base.body, type, payload: encodeBase64(payload) },
    })
    const to = parseAddress(`0x${'ab'.repeat(20)}`)
    const transfer = withPayload('transfer', encodeTransfer({ to, amount: 10n ** 18n }))
    expect(toJson(describeTransaction(transfer, { code: 0 }, place).payload)).toEqual({
      kind: 'transfer',
      to,
      amount: '1000000000000000000',
    })
    for (const type of ['validator_join', 'execute']) {
      const described = describeTransaction(withPayload(type, new Uint8Array(7)), { code: 0 }, place)
      expect(described.payload).toEqual({ kind: 'other', bytes: 7 })
    }
  })

  it('describes a transaction without its pruned body, and a foreign signature without a hash', () => {
    expect(describeTransaction(null, { code: 0 }, place)).toMatchObject({ hash: null, sender: null, ...place })
    const json = transactionToJson(execution([[]]))
    const foreign = { ...json, signature: { ...json.signature, type: 'ed25519' } }
    expect(describeTransaction(foreign, { code: 0 }, place)).toMatchObject({ hash: null, nonce: 3 })
  })
})
