import { expect, it } from 'vitest'
import { groupBy } from '#base/group-by.ts'

it('groupBy() keeps the order of the items, and of the first items of its groups', () => {
  expect([...groupBy([3, 1, 4, 5, 8], (item) => item % 2)]).toEqual([
    [1, [3, 1, 5]],
    [0, [4, 8]],
  ])
})
