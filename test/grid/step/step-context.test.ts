/** The frame of one step: its 100 ms, its random streams, which go on from step to step, and the queue by time. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRandom } from '#base/random.ts'
import { findCase } from '#grid/network/cases/catalogue.ts'
import { openStepContext, send, stepTimeUs } from '#grid/step/step-context.ts'
import { contextOf, datagram } from '../../support/grid-context.ts'
import { startTime, startWorld } from '../../support/grid-session.ts'

describe('stepTimeUs()', () => {
  it.each([
    [7, 5_000_000],
    [8, 5_100_000],
    [607, 65_000_000],
    [2, 4_500_000],
  ])('gives step %d the moment %d us, counted in tenths of a second from the clock', (step, timeUs) => {
    const world = { ...startWorld(), clock: { step: 7, timeUs: 5_000_000 } }
    expect(stepTimeUs(world, step)).toBe(timeUs)
  })
})

describe('openStepContext()', () => {
  it('opens the 100 ms of the next step, with empty lists', () => {
    const world = startWorld()
    world.step = 12
    const { startUs, endUs, queue, due, drafts, events, effects, switched, trips } = contextOf(world)
    expect([startUs, endUs]).toEqual([startTime * 1e6 + 1_200_000, startTime * 1e6 + 1_300_000])
    expect([queue, due, drafts, events, effects, switched, trips].flat()).toEqual([])
  })

  it('draws each stream from the seed of the session and its name, independent of other streams', () => {
    const context = contextOf(startWorld({ seed: 77 }))
    const lone = createRandom(77, 'load')
    for (const _ of Array(5)) {
      context.random('latency').uint32()
      expect(context.random('load').uint32()).toBe(lone.uint32())
    }
  })

  it('continues its streams in the next step as if the step had not ended', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(6), { minLength: 1, maxLength: 6 }), (draws) => {
        const world = startWorld()
        const whole = createRandom(world.configuration.seed, 'meters')
        for (const count of draws) {
          const context = contextOf(world)
          for (const _ of Array(count)) expect(context.random('meters').normal()).toBe(whole.normal())
          context.close()
        }
      }),
      { seed: 3, numRuns: 30 },
    )
  })

  it('keeps the states of its streams only when it closes', () => {
    const world = startWorld()
    const context = contextOf(world)
    context.random('load').uint32()
    expect(world.random).toEqual({})
    context.close()
    // Closing draws the ids of incidents.
    expect(Object.keys(world.random).sort()).toEqual(['incident ids', 'load'])
  })

  it('has the configuration of every unit, and none of other links', () => {
    const world = startWorld({ case: 'case14', pmu_rate: 10 })
    const context = openStepContext(world, findCase('case14'))
    for (const { link, idCode } of context.plan.pmus) {
      expect(context.configurationOf(link)).toMatchObject({ dataRate: 10, pmus: [{ idCode }] })
    }
    expect(context.configurationOf('CC--RTU-1')).toBeUndefined()
  })
})

describe('send()', () => {
  it('queues messages by time, and equal times in the order in which they were sent', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(4), { maxLength: 12 }), (times) => {
        const context = contextOf()
        times.forEach((afterUs, nth) => {
          send(context, datagram(context, afterUs, Uint8Array.of(nth)))
        })
        const wanted = times.map((afterUs, nth) => ({ afterUs, nth })).sort((a, b) => a.afterUs - b.afterUs)
        const queued = context.queue.map(({ timeUs, payload }) => ({
          afterUs: timeUs - context.startUs,
          nth: payload[0],
        }))
        expect(queued).toEqual(wanted)
      }),
      { seed: 8, numRuns: 60 },
    )
  })
})
