/** Alarms: one for as long as a cause lasts, another after half a minute without it, and at most 200 kept. */

import { describe, expect, it } from 'vitest'
import { raise } from '#grid/control-centre/alarms.ts'
import type { Finding } from '#grid/control-centre/detection.ts'
import { maximumAlarms } from '#grid/control-centre/view.ts'
import type { StepContext } from '#grid/step/step-context.ts'
import { contextOf } from '../../support/grid-context.ts'

const finding = (where: string, detector: Finding['detector'] = 'missing'): Finding => ({
  detector,
  where,
  text: `${where} is missing`,
  evidence: { gap_s: 5 },
})

/** The same session so many seconds later. */
const secondsLater = (context: StepContext, seconds: number): StepContext => ({
  ...context,
  startUs: context.startUs + seconds * 1e6,
})

const raisedAt = ({ world }: StepContext) =>
  world.view.alarms.map(({ timestamp, where }) => `${where} at ${timestamp - (world.view.alarms[0]?.timestamp ?? 0)}`)

describe('raise()', () => {
  it('keeps an alarm with its moment, counts it, and sends it to listeners', () => {
    const context = contextOf()
    raise(context, 'links', [finding('RTU-1')])
    const marks = { number: 1, priority: 'medium', acknowledged: false }
    const alarm = { ...finding('RTU-1'), ...marks, timestamp: context.startUs / 1e6 }
    expect(context.world.view.alarms).toEqual([alarm])
    expect(context.world.view.alarmCount).toBe(1)
    expect(context.events).toEqual([{ topic: 'alarm', audience: 'all', data: alarm }])
  })

  it('reports a lasting cause once, however long it lasts', () => {
    const context = contextOf()
    for (let second = 0; second < 100; second += 2) raise(secondsLater(context, second), 'links', [finding('RTU-1')])
    expect(raisedAt(context)).toEqual(['RTU-1 at 0'])
  })

  it.each([
    [29, 1],
    [30, 2],
  ])('of a cause that was away for %d s makes %d alarms', (seconds, alarms) => {
    const context = contextOf()
    raise(context, 'links', [finding('RTU-1')])
    raise(secondsLater(context, 1), 'links', [])
    raise(secondsLater(context, seconds), 'links', [finding('RTU-1')])
    expect(context.world.view.alarmCount).toBe(alarms)
  })

  it('does not count the time of a pause as time without the cause', () => {
    const context = contextOf()
    raise(context, 'links', [finding('RTU-1')])
    const later = secondsLater(context, 3600)
    context.world.view.liveUs = later.startUs - 1e6
    raise(later, 'links', [])
    raise(secondsLater(later, 1), 'links', [finding('RTU-1')])
    expect(context.world.view.alarmCount).toBe(1)
  })

  it('distinguishes causes by test, detector and place', () => {
    const context = contextOf()
    raise(context, 'links', [finding('RTU-1'), finding('RTU-2'), finding('RTU-1', 'late')])
    raise(context, 'frames', [finding('RTU-1')])
    expect(context.world.view.alarmCount).toBe(4)
    // A test that finds nothing says nothing about the causes of another one.
    raise(secondsLater(context, 40), 'links', [])
    expect(Object.keys(context.world.view.raised)).toEqual(['frames|missing|RTU-1'])
  })

  it('removes causes that ended: its memory is bounded by those that last', () => {
    const context = contextOf()
    for (let second = 0; second < 500; second++) {
      raise(secondsLater(context, second), 'links', [finding(`RTU-${second}`)])
    }
    expect(Object.keys(context.world.view.raised)).toHaveLength(30)
    expect(context.world.view.alarms).toHaveLength(maximumAlarms)
    expect(context.world.view.alarmCount).toBe(500)
    expect(context.world.view.alarms.at(-1)?.where).toBe('RTU-499')
  })
})
