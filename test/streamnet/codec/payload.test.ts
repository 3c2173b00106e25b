import { describe, expect, test } from 'vitest'
import { decodeHex, encodeHex } from '#base/hex.ts'
import {
  decodeActionCall,
  decodeActionExecution,
  decodeRawStatement,
  decodeTransfer,
  encodeActionCall,
  encodeActionExecution,
} from '#streamnet/codec/payload.ts'
import { dataType, toTypedValue } from '#streamnet/codec/value.ts'
import { addressFromBytes } from '#streamnet/ids.ts'
import type { ActionArg, TypedValue } from '#streamnet/types.ts'
import { encodeRawStatement, encodeTransfer } from '../../support/payloads.ts'
import { vectorsOf } from '../../support/streams-vectors.ts'

interface PayloadInput {
  readonly namespace?: string
  readonly action?: string
  readonly calls?: readonly (readonly ActionArg[])[]
  readonly args?: readonly ActionArg[]
  readonly rows?: readonly (readonly [string, number, string])[]
  readonly data_provider?: string
  readonly statement?: string
  readonly params?: readonly (readonly [string, string])[]
  readonly to?: { readonly identifier: string }
  readonly amount?: string
}

// The official JavaScript client sends a record as one call of four lists, and decimals as they were given.
const rowsAsCalls = (input: PayloadInput): (readonly TypedValue[])[] =>
  (input.rows ?? []).map(([streamId, time, value]) => [
    toTypedValue([input.data_provider ?? '']),
    toTypedValue([streamId]),
    { type: dataType('int8', true, 10, 0), value: [BigInt(time)] },
    { type: dataType('numeric', true, 36, 18), value: [value] },
  ])

for (const { id, input, expected } of vectorsOf<PayloadInput, string>('payload')) {
  test(`payloads follow vector ${id}`, () => {
    const { namespace = '', action = '' } = input
    const bytes = decodeHex(expected)
    if (input.statement !== undefined) {
      const parameters = (input.params ?? []).map(([name, text]) => ({ name, value: toTypedValue(text) }))
      const statement = { statement: input.statement, parameters }
      expect(encodeHex(encodeRawStatement(statement))).toBe(expected)
      expect(decodeRawStatement(bytes)).toEqual(statement)
    } else if (input.to !== undefined) {
      const transfer = { to: addressFromBytes(decodeHex(input.to.identifier)), amount: BigInt(input.amount ?? 0) }
      expect(encodeHex(encodeTransfer(transfer))).toBe(expected)
      expect(decodeTransfer(bytes)).toEqual(transfer)
    } else if (input.args !== undefined) {
      const call = { namespace, action, args: input.args.map(toTypedValue) }
      expect(encodeHex(encodeActionCall(call))).toBe(expected)
      expect(decodeActionCall(bytes)).toEqual(call)
    } else {
      const calls = input.calls?.map((args) => args.map(toTypedValue)) ?? rowsAsCalls(input)
      const decoded = decodeActionExecution(bytes)
      expect(encodeHex(encodeActionExecution(decoded))).toBe(expected)
      expect(decoded).toMatchObject({ namespace, action })
      expect(decoded.calls.map((args) => args.map(({ value }) => value))).toEqual(
        calls.map((args) => args.map(({ value }) => value)),
      )
    }
  })
}

describe('refused payloads', () => {
  const execution = encodeActionExecution({ namespace: 'main', action: 'create_stream', calls: [[toTypedValue('a')]] })

  test.each<[string, () => unknown]>([
    ['nothing', () => decodeActionExecution(new Uint8Array())],
    ['a cut end', () => decodeActionExecution(execution.subarray(0, -1))],
    ['trailing bytes', () => decodeActionExecution(new Uint8Array([...execution, 0]))],
    ['another version', () => decodeActionExecution(new Uint8Array([1, ...execution.subarray(1)]))],
    ['a count without calls', () => decodeActionExecution(decodeHex('00000000000001000000 61ffff'.replace(' ', '')))],
    // Old clients wrote the identifier of the receiver as bare bytes.
    ['an old transfer', () => decodeTransfer(decodeHex(`000014000000${'7e'.repeat(20)}010431303030`))],
    ['a transfer of null', () => decodeTransfer(decodeHex(`00001e000000000014000000${'7e'.repeat(20)}0000000000`))],
  ])('malformed_bytes for %s', (_, decode) => {
    expect(decode).toThrow(expect.objectContaining({ code: 'malformed_bytes' }))
  })
})
