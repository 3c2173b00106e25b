import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { entries, type GatewayEntry } from '#gateway/entries.ts'
import { readParams } from '#gateway/params.ts'
import { schemaOfRecord } from '#gateway/schema.ts'
import type { Parameter, ParameterType } from '#streamnet/catalogue/entry.ts'

const streamId = `st${'a'.repeat(30)}`
const address = `0x${'ab'.repeat(20)}`

/** Values of every kind that JSON has, near the edges of every type. */
const plain: readonly unknown[] = [
  ...[null, true, false, 0, 1, -1, 5, 99, 1.5, -0.5, 1e-7, 2 ** 53 - 1, 2 ** 53],
  ...[
    '',
    ' ',
    '0',
    '1',
    '-1',
    '+1',
    '01',
    '1.',
    '.5',
    '.',
    '1.5',
    '-1.5e3',
    '1e9999',
    '1e',
    '9'.repeat(19),
    '1'.repeat(20),
  ],
  ...['1'.repeat(64), '1'.repeat(65), 'NaN', 'Infinity', 'soon', '2024-01-01', 'é', 'paid', 'primitive', 'private'],
  ...[streamId, `${streamId}a`, streamId.toUpperCase(), address, address.slice(2), address.slice(1), 'ab'.repeat(32)],
  ...[
    '0x',
    '0x1',
    '0xaB',
    '0xg0',
    'AAAA',
    'AAA=',
    'AA==',
    'A===',
    'AAA',
    'A A=',
    '00000000-0000-4000-8000-000000000000',
  ],
]
const structures: readonly unknown[] = [
  ...[[], {}, [1], ['a'], [null], [[]], [streamId], [address, address]],
  ...[{ int8: '1' }, { int8: 1, more: 1 }, { int8: 'x' }, { int8: 1.5 }, { bytea: '0x1' }, { bytea: '0xff' }],
  ...[{ uuid: '00000000-0000-4000-8000-000000000000' }, { uuid: 'x' }, { numeric: '1.5' }, { numeric: [] }],
  ...[{ numeric: ['1', 2] }, { numeric: '1', precision: 0 }, { numeric: '1', precision: 5, scale: 1001 }, { other: 1 }],
  ...[
    { [streamId]: 1 },
    { [streamId]: 'x' },
    { short: 1 },
    JSON.parse(`{"__proto__":1}`),
    JSON.parse(`{"__proto__":1,"${streamId}":1}`),
  ],
  ...[{ stream_id: streamId }, { stream_id: streamId, data_provider: address }, { date: 1, value: 1 }, { date: 1 }],
  ...[[{ date: 1, value: '1' }], [{ date: 1, value: 1, more: 1 }], [{ stream_id: streamId, data_provider: address }]],
  ...[[{ stream_id: streamId, stream_type: 'primitive', allow_zeros: null }], [{ stream_id: streamId, inputs: [] }]],
]
const values = [...plain, ...structures]

const isTaken = (entry: GatewayEntry, params: unknown): boolean => {
  try {
    readParams(entry, params)
    return true
  } catch {
    return false
  }
}

/** Of text JSON Schema cannot say how large its number is; beyond 2^53 every number is read as its text. */
const isBeyondWords = ({ type, min, max }: Parameter, value: unknown): boolean => {
  if (type === 'wei') return value === 2 ** 53
  const isBounded = min !== undefined || max !== undefined || value === '9'.repeat(19)
  return type === 'integer' && typeof value === 'string' && isBounded
}

const entryOf = (parameter: Parameter): GatewayEntry => ({
  name: 'one',
  kind: 'view',
  about: '',
  parameters: [parameter],
  result: 'void',
})

describe('the schema of a parameter and its validator take the same values', () => {
  const seen = new Set<string>()
  for (const { name, parameters } of entries) {
    for (const parameter of parameters) {
      const kind = JSON.stringify({ ...parameter, name: '', about: '', default: null })
      if (seen.has(kind)) continue
      seen.add(kind)
      it(`${parameter.name} of ${name}`, () => {
        const entry = entryOf(parameter)
        const schema = z.fromJSONSchema(schemaOfRecord([parameter], 'in') as Parameters<typeof z.fromJSONSchema>[0])
        const differing = [{}, ...values.map((value) => ({ [parameter.name]: value }))].filter((params) => {
          if (isBeyondWords(parameter, (params as Record<string, unknown>)[parameter.name])) return false
          return schema.safeParse(params).success !== isTaken(entry, params)
        })
        expect(differing).toEqual([])
      })
    }
  }

  it('and refuse the same names', () => {
    const parameter: Parameter = { name: 'a', type: 'string' as ParameterType, required: true, about: '' }
    const schema = z.fromJSONSchema(schemaOfRecord([parameter], 'in') as Parameters<typeof z.fromJSONSchema>[0])
    for (const params of [{ a: 'x', b: 1 }, { b: 1 }, [], 'a', 7]) {
      expect([params, schema.safeParse(params).success]).toEqual([params, false])
      expect([params, isTaken(entryOf(parameter), params)]).toEqual([params, false])
    }
  })
})
