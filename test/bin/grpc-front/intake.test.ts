/** Bounds on all calls of a front together. */

import { beforeEach, describe, expect, it } from 'vitest'
import { createIntake, type Intake } from '#bin/grpc-front/intake.ts'
import type { Status } from '#proto-json/index.ts'

describe('createIntake()', () => {
  const ended: string[] = []
  const enter = (intake: Intake, name: string) => intake.enter(({ code }: Status) => ended.push(`${name}: ${code}`))

  beforeEach(() => {
    ended.length = 0
  })

  it('refuses a new call when all others wait for the service', () => {
    const intake = createIntake({ maxCalls: 2, maxBufferedBytes: 100 })
    const [first, second] = [enter(intake, 'first'), enter(intake, 'second')]
    first.complete()
    second.complete()
    enter(intake, 'third')
    expect(ended).toEqual(['third: 8'])
    first.leave()
    first.leave()
    enter(intake, 'fourth')
    enter(intake, 'fifth')
    expect(ended).toEqual(['third: 8', 'fourth: 8'])
  })

  it('counts the bytes of calls that wait for the service, and ends an unfinished one for them', () => {
    const intake = createIntake({ maxCalls: 9, maxBufferedBytes: 100 })
    const [first, second] = [enter(intake, 'first'), enter(intake, 'second')]
    first.hold(90)
    first.complete()
    second.hold(11)
    expect(ended).toEqual(['second: 8'])
    second.hold(11)
    first.leave()
    enter(intake, 'third').hold(100)
    expect(ended).toEqual(['second: 8'])
  })
})
