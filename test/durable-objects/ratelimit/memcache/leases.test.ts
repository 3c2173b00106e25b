/** memcacheLeases: what is handed out is counted in the server first, and never more than the limit leaves. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { memcacheLeases } from '#objects/ratelimit/memcache/leases.ts'
import type { WireDraw } from '#ratelimit/lease/lease.ts'
import { units } from '#ratelimit/window.ts'
import { oneKeyServer } from '#test/support/one-key-memcached.ts'

const day = units.indexOf('DAY')
const drawing = { id: 1, holder: 9, nowMs: 1_000 }
const wire = (addend: number, limit: number, wanted: number, returned: readonly number[] = []): WireDraw => [
  'key_',
  day,
  addend,
  limit,
  wanted,
  1,
  returned,
]

describe('memcacheLeases()', () => {
  it('the server counts the hits and every open lease, and no lease passes the limit (property)', async () => {
    const turn = fc.record({ addend: fc.nat(5), wanted: fc.nat(40), used: fc.nat(40), returns: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { maxLength: 20 }), async (turns) => {
        const { server, ask } = oneKeyServer(() => {})
        const draw = memcacheLeases(ask, () => 0)
        const limit = 60
        let open: { readonly id: number; readonly granted: number }[] = []
        let counted = 0
        for (const [at, { addend, wanted, used, returns }] of turns.entries()) {
          const id = at + 1
          const back = returns ? open : []
          const unused = back.map(({ id: lease, granted }) => [lease, Math.max(0, granted - used)])
          if (returns) open = []
          const [answer] = await draw([wire(addend, limit, wanted, unused.flat())], { ...drawing, id })
          if (answer === undefined) throw new Error('there is no answer')
          expect(answer.faults).toBe(0)
          const before = counted - unused.reduce((sum, [, hits = 0]) => sum + hits, 0)
          const isOut = open.reduce((sum, { granted }) => sum + granted, 0)
          // A refusal that only open leases cause is not counted.
          const isHeldBack = before + addend > limit && isOut > 0 && before + addend - isOut <= limit
          counted = before + (isHeldBack ? 0 : addend) + answer.granted
          if (answer.granted > 0) open.push({ id, granted: answer.granted })
          expect(server.count ?? 0).toBe(counted)
          expect(answer.outstanding).toBe(isOut + answer.granted)
          if (answer.granted > 0) expect(counted).toBeLessThanOrEqual(limit)
        }
      }),
      { seed: 6, numRuns: 60 },
    )
  })

  it('a lease gives back at once what others counted since the counter was read', async () => {
    const { server, ask } = oneKeyServer((one) => {
      // Another client hits 70 times between the reading and the increase.
      if (one.count === 20) one.count = 90
    })
    server.count = 20
    let reads = 0
    const draw = memcacheLeases(
      async (key, command) => {
        if (new TextDecoder().decode(command).startsWith('gets') && reads++ === 0) {
          return { kind: 'values', values: new Map([[key, '20']]), tokens: new Map([[key, '0']]), flags: new Map() }
        }
        return ask(key, command)
      },
      () => 0,
    )
    const [answer] = await draw([wire(0, 100, 50)], drawing)
    expect([answer?.granted, answer?.after, server.count]).toEqual([10, 100, 100])
  })

  it('a counter that does not exist is made, with the hits and the lease', async () => {
    const { server, ask } = oneKeyServer(() => {})
    const [answer] = await memcacheLeases(ask, () => 0)([wire(1, 100, 10)], drawing)
    expect(server.count).toBe(11)
    expect(answer).toMatchObject({ after: 11, granted: 10, outstanding: 10, faults: 0, windowStart: 0 })
    expect(answer?.millisecondsUntilReset).toBe(86_400_000 - 1_000)
  })

  it('a lease that was never granted gives nothing back, and is a fault', async () => {
    const { server, ask } = oneKeyServer(() => {})
    server.count = 30
    const [answer] = await memcacheLeases(ask, () => 0)([wire(0, 100, 0, [77, 20])], drawing)
    expect([answer?.faults, server.count]).toEqual([1, 30])
  })

  it('a unit that does not exist is refused', async () => {
    const { ask } = oneKeyServer(() => {})
    const draw = memcacheLeases(ask, () => 0)
    await expect(draw([['key_', 99, 1, 1, 0, 0, []]], drawing)).rejects.toThrow('unit 99 does not exist')
  })

  it('a counter that comes and goes at every command is given up after twenty attempts', async () => {
    let asked = 0
    const draw = memcacheLeases(
      async () => {
        asked += 1
        return { kind: 'not-found' }
      },
      () => 0,
    )
    await expect(draw([wire(1, 10, 0)], drawing)).rejects.toThrow('came and went 20 times')
    // One reading, then an increase and an addition for each attempt.
    expect(asked).toBe(41)
  })
})
