import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { entries, requireEntry } from '#gateway/entries.ts'
import { GatewayError } from '#gateway/errors.ts'
import { readParams } from '#gateway/params.ts'
import { schemaOfType } from '#gateway/schema.ts'
import type { ParameterType } from '#streamnet/catalogue/entry.ts'
import { numeric } from '#streamnet/index.ts'
import { refusal } from '../support/refusal.ts'
import { sweep } from '../support/sweep.ts'

const streamId = `st${'a'.repeat(30)}`
const address = `0x${'12'.repeat(20)}`

const mistakesOf = (name: string, input: unknown) =>
  refusal(GatewayError, () => readParams(requireEntry(name), input))?.mistakes ?? []

/** A value of a type, as a caller would send it. */
function example(type: ParameterType): unknown {
  if (typeof type === 'object') {
    if ('oneOf' in type) return type.oneOf[0]
    if ('list' in type) return [example(type.list)]
    if ('map' in type) return { [streamId]: example(type.map) }
    if ('nullable' in type) return null
    if ('anyOf' in type) return example(type.anyOf[0] ?? 'void')
    return Object.fromEntries(type.record.map((member) => [member.name, example(member.type)]))
  }
  const values = {
    string: 'text', boolean: true, number: 1.5, stream_id: streamId, address, tx_hash: 'ab'.repeat(32), integer: 7,
    decimal: '1.5', wei: '12', bytes: '0x0102', argument: 'text', void: null,
  } as const // biome-ignore format: a table
  return values[type]
}

describe('readParams()', () => {
  it.each(entries.map((entry) => [entry.name, entry] as const))('%s takes what its types say', (_, entry) => {
    const input = Object.fromEntries(
      entry.parameters.map(({ name, type, min }) => [name, type === 'integer' ? (min ?? 7) : example(type)]),
    )
    const own = entry.parameters.filter(({ name }) => name !== 'force')
    expect(Object.keys(readParams(entry, input)).length).toBe(own.length)
    for (const { type } of entry.parameters) expect(Object.keys(schemaOfType(type, 'in')).length).toBeGreaterThan(0)
  })

  it('renames parameters, and keeps the names of a map', () => {
    const input = { stream_id: streamId, child_streams: { [streamId]: 1 }, start_date: null }
    expect(readParams(requireEntry('set_taxonomy'), input)).toEqual({ streamId, childStreams: { [streamId]: 1 } })
    const listed = [{ stream: { stream_id: streamId, data_provider: address }, weight: '0.5' }]
    expect(readParams(requireEntry('set_taxonomy'), { stream_id: streamId, child_streams: listed })).toMatchObject({
      childStreams: [{ stream: { streamId, dataProvider: address }, weight: '0.5' }],
    })
  })

  it('refuses a date in milliseconds and an empty name with what is right, and takes them with force', () => {
    const record = { date: 1_760_000_000_000, value: 1 }
    const one = { stream_id: streamId, record }
    const right = expect.stringContaining('expected Unix time in seconds: if these are milliseconds, 1760000000')
    expect(mistakesOf('insert_record', one)).toEqual([{ path: 'record.date', message: right }])
    expect(mistakesOf('insert_record', { ...one, record: { ...record, date: '1760000000000' } })).toHaveLength(1)
    const batches = [{ stream_id: streamId, inputs: [{ ...record, date: 99_999_999_999 }, record] }]
    for (const name of ['batch_insert_records', 'insert_all'])
      expect(mistakesOf(name, { batches })).toEqual([{ path: 'batches[0].inputs[1].date', message: right }])
    const many = Array.from({ length: 1_000 }, () => record)
    expect(mistakesOf('insert_records', { stream_id: streamId, records: many })).toHaveLength(100)
    for (const name of ['', '  '])
      expect(mistakesOf('generate_stream_id', { name })).toEqual([
        { path: 'name', message: expect.stringContaining('is empty, expected a name') },
      ])
    for (const [name, params] of [
      ['insert_record', one],
      ['insert_all', { batches }],
      ['generate_stream_id', { name: '' }],
    ] as const) {
      expect(mistakesOf(name, { ...params, force: true })).toEqual([])
      expect(mistakesOf(name, { ...params, force: false })).toHaveLength(1)
    }
  })

  it('keeps 64-bit integers, as numbers where they are safe', () => {
    const date = (value: unknown) =>
      readParams(requireEntry('insert_record'), { stream_id: streamId, record: { date: value, value: 1 }, force: true })
        .record
    expect(date('9007199254740993')).toMatchObject({ date: 9007199254740993n })
    expect(date('12')).toMatchObject({ date: 12 })
    expect(date(-12)).toMatchObject({ date: -12 })
    for (const value of ['9223372036854775808', 2 ** 53, 1.5, '1.5', '', 'x', null, true]) {
      expect(mistakesOf('insert_record', { stream_id: streamId, record: { date: value, value: 1 } })).toHaveLength(1)
    }
  })

  it('reads arguments of any action, with types that JSON has not', () => {
    const read = (...args: readonly unknown[]) =>
      readParams(requireEntry('call_procedure'), { procedure: 'p', args }).args
    expect(read(null, true, 'a', 1, ['a', 'b'])).toEqual([null, true, 'a', 1, ['a', 'b']])
    expect(read({ int8: '9223372036854775807' }, { bytea: '0xff' }, { bytea: '/w==' })).toEqual([
      2n ** 63n - 1n,
      new Uint8Array([255]),
      new Uint8Array([255]),
    ])
    expect(read({ numeric: '1.5' }, { numeric: ['1', '2'], precision: 78, scale: 0 })).toEqual([
      numeric('1.5'),
      numeric(['1', '2'], 78, 0),
    ])
    expect(mistakesOf('call_procedure', { procedure: 'p', args: [{ int9: 1 }] })).toHaveLength(1)
  })

  it('holds integers to their bounds', () => {
    expect(mistakesOf('list_transaction_fees', { wallet: address, limit: 1001, offset: -1 })).toEqual([
      { path: 'limit', message: 'is 1001, expected a whole number from 1 to 1000' },
      { path: 'offset', message: 'is -1, expected a whole number from 0' },
    ])
  })

  it('lists a hundred mistakes at most', () => {
    const records = Array.from({ length: 500 }, () => ({ date: 'x' }))
    expect(mistakesOf('insert_records', { stream_id: streamId, records })).toHaveLength(100)
  })

  it('returns parameters or lists mistakes for any JSON', () => {
    fc.assert(
      fc.property(fc.constantFrom(...entries), fc.jsonValue(), (entry, input) => {
        const error = refusal(GatewayError, () => expect(typeof readParams(entry, input)).toBe('object'))
        expect(error?.mistakes).not.toEqual([])
        for (const { message } of error?.mistakes ?? [])
          expect(message).toMatch(/^(is required, |is not a parameter|is beyond 64 bits$|is .+, expected )/s)
      }),
      { seed: 6, numRuns: sweep(500) },
    )
  })
})

describe('readParams() of many values', () => {
  const call = (args: unknown) => () => readParams(requireEntry('call_procedure'), { procedure: 'p', args })

  it('refuses more than fifty thousand before it checks one, of any depth', () => {
    const message = expect.stringContaining('more than 50000 values')
    for (const args of [Array(50_000).fill(1), [Array(50_000).fill(1)], Array(25_000).fill({ a: 1 })])
      expect(call(args)).toThrow(expect.objectContaining({ code: 'invalid_params', message }))
    expect(call(Array(49_000).fill(1))).not.toThrow()
  })

  it('lets a bulk insertion have its 25,000 records, and stops at its first mistakes', () => {
    const insert = (record: object) => () => {
      const inputs = Array(25_000).fill(record)
      return readParams(requireEntry('insert_all'), { batches: [{ stream_id: `st${'0'.repeat(30)}`, inputs }] })
    }
    expect(insert({ date: 1_700_000_000, value: '1' })).not.toThrow()
    expect(insert({ date: 'x', value: [] })).toThrow(/^Cannot run insert_all: batches\[0\]\.inputs\[0\]\.date is "x"/)
  })

  it('lists the first hundred of many mistakes', () => {
    try {
      call(Array(20_000).fill({}))()
      expect.unreachable()
    } catch (error) {
      expect((error as GatewayError).mistakes).toHaveLength(100)
    }
  })
})
