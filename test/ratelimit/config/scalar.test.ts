/** Plain scalars in the reference's dialect, one by one. */

import { expect, test } from 'vitest'
import { scalarMeaning } from '#ratelimit/config/scalar.ts'

test.each([
  ['', 'null'],
  ['~', 'null'],
  ['NULL', 'null'],
  ['nULL', 'string'],
  ['<<', 'merge'],
  ['y', 'bool'],
  ['OFF', 'bool'],
  ['oN', 'string'],
  ['1:30', 'string'],
  ['2024-01-01', 'string'],
  ['1.2.3', 'string'],
  ['0x', 'string'],
  ['09', 'float'],
  ['5.', 'float'],
  ['.5', 'float'],
  ['1e3', 'float'],
  ['-.inf', 'float'],
  ['9223372036854775807', 'int'],
  ['9223372036854775808', 'int'],
  ['18446744073709551615', 'int'],
  ['18446744073709551616', 'float'],
  ['+9223372036854775808', 'float'],
  ['0xffffffffffffffff', 'int'],
  ['0x10000000000000000', 'string'],
  ['-0x8000000000000001', 'string'],
  ['0o2000000000000000000000', 'string'],
  ['-9223372036854775808', 'int'],
  ['-9223372036854775809', 'float'],
])('scalarMeaning() of "%s" is a %s', (source, kind) => {
  expect(scalarMeaning(source).kind).toBe(kind)
})

test.each([
  ['1_000', 1000n],
  ['010', 8n],
  ['0o10', 8n],
  ['0O10', 8n],
  ['0X1f', 31n],
  ['-0b11', -3n],
  ['+5', 5n],
  ['-0', 0n],
  ['18446744073709551615', 18446744073709551615n],
])('scalarMeaning() of %s is %s', (source, value) => {
  expect(scalarMeaning(source)).toEqual({ kind: 'int', value })
})

test('scalarMeaning() of octal digits beyond 64 bits is the float that they are in decimal', () => {
  expect(scalarMeaning('02000000000000000000000')).toEqual({ kind: 'float', value: 2e21 })
})
