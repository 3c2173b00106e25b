import { describe, expect, it } from 'vitest'
import { findWindow, nameAlgorithm, parseShape } from '#console/ratelimit/algorithm-shape.ts'
import type { Algorithm } from '#ratelimit/algorithm/algorithm.ts'
import { algorithmText } from '#ratelimit/algorithm/algorithm-key.ts'
import { calendarSpan } from '#ratelimit/algorithm/calendar.ts'

const reserve = { unsettled: 'refunded', timeToLive: 600 } as const

const algorithms: readonly Algorithm[] = [
  { kind: 'fixed', seconds: 900, charge: 'all' },
  { kind: 'fixed', seconds: 900, charge: 'admitted', reserve },
  { kind: 'sliding', seconds: 60, charge: 'admitted' },
  { kind: 'fixed', seconds: 60, charge: 'all_or_nothing' },
  { kind: 'token_bucket', seconds: 60, burst: 4, charge: 'all' },
  { kind: 'concurrency', seconds: 60, charge: 'admitted' },
  { kind: 'calendar', seconds: 86_400, period: 'day', zone: 'Europe/Berlin', charge: 'all', reserve },
  { kind: 'calendar', seconds: 2_678_400, period: 'month', zone: 'Etc/GMT+5', charge: 'admitted' },
]

it.each(algorithms)('nameAlgorithm() writes what the service writes for %j', (algorithm) => {
  expect(nameAlgorithm(algorithm)).toBe(algorithmText(algorithm))
  expect(nameAlgorithm(undefined)).toBe('')
})

describe('parseShape()', () => {
  it.each(algorithms)('reads what the service writes for %j', (algorithm) => {
    expect(parseShape(algorithmText(algorithm))).toEqual({
      kind: algorithm.kind,
      seconds: algorithm.seconds,
      burst: algorithm.kind === 'token_bucket' ? algorithm.burst : 0,
      zone: algorithm.kind === 'calendar' ? algorithm.zone : '',
      free: algorithm.charge === 'all' || algorithm.kind === 'concurrency' ? null : algorithm.charge,
      reserve: 'reserve' in algorithm ? { unsettled: 'refunded', seconds: 600 } : null,
    })
  })

  it.each(['', 'leaky 60', 'sliding'])('gives null for "%s"', (text) => {
    expect(parseShape(text)).toBeNull()
  })
})

describe('findWindow()', () => {
  it('aligns windows to the epoch', () => {
    const shape = parseShape('sliding 60')
    expect(shape && findWindow(shape, 1_000_030, 5)).toEqual({ start: 1_000_020, end: 1_000_080 })
  })

  it('finds the month of a zone as the service counts it', () => {
    const names = ['UTC', 'Pacific/Kiritimati', 'Pacific/Pago_Pago', 'Asia/Kolkata']
    for (const zone of names) {
      for (let month = 0; month < 14; month++) {
        const now = Date.UTC(2027, month, 17, 5) / 1000
        const span = calendarSpan('month', zone)
        const [start, end] = [span.startOf(now), span.endOf(now)]
        const shape = parseShape(`calendar month ${zone}`)
        expect(shape && findWindow(shape, now, end - now)).toEqual({ start, end })
      }
    }
  })
})
