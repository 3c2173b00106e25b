import { expect, test } from 'vitest'
import { readRows } from '#streamnet/rpc/table.ts'
import type { Scalar } from '#streamnet/types.ts'

const read = (cell: Scalar | readonly Scalar[], kind: Parameters<typeof readRows>[1][string]) =>
  readRows({ columnNames: ['one_cell'], columnTypes: [], rows: [[cell]] }, { one_cell: kind })

test('readRows() reads a list of bytes, and refuses a list of anything else', () => {
  const bytes = Uint8Array.of(1)
  expect(read([bytes, bytes], 'bytes[]')).toEqual([{ oneCell: [bytes, bytes] }])
  expect(read(null, 'bytes[]?')).toEqual([{ oneCell: null }])
  for (const wrong of [['text'], [bytes, null], bytes, null]) {
    expect(() => read(wrong, 'bytes[]')).toThrow('column one_cell is missing or not bytes[]')
  }
})
