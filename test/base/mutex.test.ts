/** Mutex: tasks in their order, none beside another, and a task that fails lets the next one go. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createMutex } from '#base/mutex.ts'

test('run() runs tasks in the order of their calls, one at a time, whether they fail or not (property)', async () => {
  const tasks = fc.array(fc.record({ turns: fc.nat(6), fails: fc.boolean() }), { maxLength: 20 })
  await fc.assert(
    fc.asyncProperty(tasks, async (list) => {
      const mutex = createMutex()
      const order: number[] = []
      let running = 0
      const calls = list.map(({ turns: length, fails }, at) =>
        mutex.run(async () => {
          running += 1
          order.push(at)
          for (let turn = 0; turn < length; turn++) {
            await null
            expect(running).toBe(1)
          }
          running -= 1
          if (fails) throw new Error(`task ${at}`)
          return at
        }),
      )
      const ends = await Promise.allSettled(calls)
      expect(order).toEqual(list.map((_, at) => at))
      for (const [at, end] of ends.entries()) {
        if (list[at]?.fails) expect(end).toMatchObject({ reason: new Error(`task ${at}`) })
        else expect(end).toMatchObject({ value: at })
      }
    }),
    { seed: 1 },
  )
})
