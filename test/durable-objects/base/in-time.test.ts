/** inTime: a wait for an action ends at its bound. */

import { expect, it } from 'vitest'
import { inTime } from '#objects/base/in-time.ts'

it('inTime() has the outcome of the action, and fails when the action takes longer', async () => {
  expect(await inTime(Promise.resolve(7), 10_000)).toBe(7)
  await expect(inTime(Promise.reject(new Error('refused')), 10_000)).rejects.toThrow('refused')
  await expect(inTime(new Promise(() => undefined), 20)).rejects.toThrow('took longer than 20 ms')
})
