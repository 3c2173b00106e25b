/** One request of an isolate looks after the deadlines of all that wait. */

import { describe, expect, it } from 'vitest'
import { withDeadline } from '#objects/ratelimit/back-end/deadline.ts'

/** A request's context, and the watches that were left to it. */
function context() {
  const watches: Promise<unknown>[] = []
  return { ctx: { waitUntil: (work: Promise<unknown>) => void watches.push(work) }, watches }
}

const never = () => new Promise<never>(() => {})
const lateAfter = (milliseconds: number) => ({ message: `no answer within ${milliseconds} ms` })

describe('withDeadline()', () => {
  it('resolves and rejects as the call does', async () => {
    const { ctx } = context()
    const failure = new Error('the call failed')
    expect(await withDeadline(Promise.resolve(7), 5_000, ctx)).toBe(7)
    await expect(withDeadline(Promise.reject(failure), 5_000, ctx)).rejects.toBe(failure)
  })

  it('rejects a call whose time is over, with a context and without', async () => {
    const { ctx } = context()
    await expect(withDeadline(never(), 30, ctx)).rejects.toMatchObject(lateAfter(30))
    await expect(withDeadline(never(), 30)).rejects.toMatchObject(lateAfter(30))
  })

  it('keeps all deadlines by one request, and by none when no request waits', async () => {
    const first = context()
    const second = context()
    const calls = [withDeadline(never(), 400, first.ctx), withDeadline(never(), 400, second.ctx)]
    expect([first.watches.length, second.watches.length]).toEqual([1, 0])
    const ends = await Promise.allSettled(calls)
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await Promise.all(first.watches)
    const third = context()
    await expect(withDeadline(never(), 30, third.ctx)).rejects.toMatchObject(lateAfter(30))
    expect(third.watches.length).toBe(1)
  })

  it('does not let a short deadline wait for a long one', async () => {
    const long = context()
    const short = context()
    let finish = (_: number) => {}
    const slow = new Promise<number>((resolve) => {
      finish = resolve
    })
    const patient = withDeadline(slow, 10_000, long.ctx)
    await expect(withDeadline(never(), 30, short.ctx)).rejects.toMatchObject(lateAfter(30))
    expect([long.watches.length, short.watches.length]).toEqual([1, 1])
    finish(7)
    expect(await patient).toBe(7)
  })

  it('keeps a deadline beyond ten seconds with a separate timer', async () => {
    const { ctx, watches } = context()
    expect(await withDeadline(Promise.resolve(7), 3_000_000_000, ctx)).toBe(7)
    expect(watches).toEqual([])
  })
})
