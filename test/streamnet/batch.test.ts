import { expect, test } from 'vitest'
import { readEach } from '#streamnet/batch.ts'

test('readEach() has so many reads under way at most, and keeps the order', async () => {
  let [running, most] = [0, 0]
  const read = async (item: number) => {
    most = Math.max(most, ++running)
    for (let turn = 10 - item; turn > 0; turn--) await Promise.resolve()
    running--
    return item * 2
  }
  expect(await readEach([1, 2, 3, 4, 5, 6, 7], read, 3)).toEqual([2, 4, 6, 8, 10, 12, 14])
  expect(most).toBe(3)
  expect(await readEach([], read)).toEqual([])
})

test('readEach() begins no further read after a failure, and refuses no concurrency', async () => {
  const begun: number[] = []
  const read = async (item: number) => {
    begun.push(item)
    if (item === 2) throw new Error('no')
    await new Promise((resolve) => setImmediate(resolve))
  }
  await expect(readEach([1, 2, 3, 4, 5], read, 2)).rejects.toThrow('no')
  await new Promise((resolve) => setImmediate(resolve))
  expect(begun).toEqual([1, 2])
  await expect(readEach([1], read, 0)).rejects.toThrow('concurrency must be a positive integer')
})
