import { expect, test } from 'vitest'
import { generateStreamId } from '#streamnet/ids.ts'
import { keys, startTestNode } from '../../support/devnode.ts'

const me = keys.owner.address
const [a, b] = [generateStreamId('a'), generateStreamId('b')]

const twice = 'ERROR: duplicate key value violates unique constraint "metadata_pkey" (SQLSTATE 23505)'

function nodeWithStreams() {
  const node = startTestNode()
  node.must(keys.owner, 'create_streams', [a, b], ['primitive', 'primitive'])
  return node
}

test('insert_metadata: one key and value have one row in a transaction, also of two streams', () => {
  const node = nodeWithStreams()
  const insert = (...calls: readonly (readonly string[])[]) =>
    node.execute(keys.owner, 'insert_metadata', ...calls.map(([stream = a, ...row]) => [me, stream, ...row])).log
  expect(insert([a, 'k', 'v', 'string'], [a, 'k', 'v', 'string'])).toBe(twice)
  expect(insert([a, 'read_visibility', '1', 'int'], [b, 'read_visibility', '1', 'int'])).toBe(twice)
  // The network joins both texts before it hashes them.
  expect(insert([a, 'ab', 'c', 'string'], [a, 'a', 'bc', 'string'])).toBe(twice)
  expect(node.view('get_metadata', [me, a, 'k', null, null, null, null])).toEqual([])
  expect(insert([a, 'k', 'v', 'string'], [a, 'k', 'w', 'string'])).toBe('')
  expect(insert([a, 'k', 'v', 'string'])).toBe('')
})

test('set_allow_zeros is turned on once for a stream in a transaction', () => {
  const node = nodeWithStreams()
  const set = (...calls: readonly (readonly [string, boolean])[]) =>
    node.execute(keys.owner, 'set_allow_zeros', ...calls.map(([stream, flag]) => [me, stream, flag])).log
  expect(set([a, true], [a, true])).toBe(twice)
  expect(set([a, true], [a, false], [a, true])).toBe(twice)
  expect(set([a, true], [b, true], [b, false])).toBe('')
  expect(node.view('get_allow_zeros', [me, a])).toEqual([[true]])
})
