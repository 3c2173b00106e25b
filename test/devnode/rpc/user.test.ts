import { expect, test } from 'vitest'
import { startTestNode } from '../../support/devnode.ts'

test('user.query takes a parameter that is not encoded text for one that equals nothing', () => {
  const query = 'SELECT * FROM info.actions WHERE namespace = $namespace'
  for (const value of [null, 'main', [], {}, { type: null, data: [] }, { type: { name: 'int8' }, data: ['AQ=='] }]) {
    const result = startTestNode().rpc('user.query', { query, params: { $namespace: value } })
    expect(result).toEqual({ column_names: null, column_types: null, values: null })
  }
})
