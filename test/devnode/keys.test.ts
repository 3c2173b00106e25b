import fc from 'fast-check'
import { expect, test } from 'vitest'
import { int8Part, parseInt8Part } from '#devnode/keys.ts'

const edges = [2n ** 53n, 2n ** 32n, 2n ** 31n, 0n].flatMap((edge) =>
  [-2n, -1n, 0n, 1n, 2n].flatMap((step) => [edge + step, step - edge]),
)

test.each([-(2n ** 63n), 2n ** 63n - 1n, ...edges])('parseInt8Part() reads %s as int8Part() wrote it', (value) => {
  expect(parseInt8Part(int8Part(value))).toBe(value)
})

test('parseInt8Part() reads any int8 as int8Part() wrote it', () => {
  const int8 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
  fc.assert(
    fc.property(int8, (value) => {
      expect(parseInt8Part(int8Part(value))).toBe(value)
    }),
    { seed: 8 },
  )
})
