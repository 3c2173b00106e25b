import { describe, expect, test } from 'vitest'
import { actions } from '#devnode/actions/catalogue.ts'
import { answerQuery, formatDeclaration } from '#devnode/info.ts'

describe('answerQuery()', () => {
  const all = 'SELECT * FROM info.actions WHERE namespace = $namespace'

  test('lists every action with the columns in the order clients expect', () => {
    const { column_names, values } = answerQuery(all, { $namespace: 'main' })
    expect(column_names).toEqual([
      'namespace',
      'name',
      'raw_statement',
      'access_modifiers',
      'parameter_names',
      'parameter_types',
      'return_names',
      'return_types',
      'returns_table',
      'built_in',
    ])
    expect(values).toHaveLength(actions.size)
    const insert = values?.find((row) => row[1] === 'insert_records')
    expect(insert?.slice(3, 6)).toEqual([
      ['PUBLIC'],
      ['$data_provider', '$stream_id', '$event_time', '$value'],
      ['text[]', 'text[]', 'int8[]', 'numeric(36,18)[]'],
    ])
  })

  test('has no rows, and then no names, for another namespace', () => {
    expect(answerQuery(all, { $namespace: 'other' })).toEqual({ column_names: null, column_types: null, values: null })
  })

  test('chooses columns and compares with a literal', () => {
    const { column_names, values } = answerQuery("select name, built_in from info.actions where name = 'whoami';", {})
    expect([column_names, values]).toEqual([['name', 'built_in'], [['whoami', false]]])
  })

  for (const query of [
    'SELECT 1',
    'DELETE FROM info.actions',
    'SELECT * FROM info.tables',
    'SELECT nope FROM info.actions',
    all.repeat(100),
  ]) {
    test(`refuses "${query.slice(0, 40)}"`, () => {
      expect(() => answerQuery(query, {})).toThrow()
    })
  }
})

test('formatDeclaration() writes parameters, defaults, modifiers and columns', () => {
  const action = actions.get('get_first_record')
  if (action === undefined) throw new Error('there is no such action')
  expect(formatDeclaration(action)).toBe(
    'CREATE ACTION get_first_record($data_provider TEXT, $stream_id TEXT, $after INT8, $frozen_at INT8, $use_cache BOOL DEFAULT FALSE) PUBLIC VIEW RETURNS TABLE(event_time INT8, value NUMERIC(36,18)) {};',
  )
})
