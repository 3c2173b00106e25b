import { describe, expect, it } from 'vitest'
import { costOf, monthlyCostOf, prices, type Usage } from '#bench/cost/prices.ts'
import { costPage, ratePage } from '#bench/cost/table.ts'

const nothing: Usage = { workerRequests: 0, cpuMs: 0, objectRequests: 0, objectMs: 0, rowsRead: 0, rowsWritten: 0 }
const monthMs = 30 * 24 * 3600 * 1000

describe('monthlyCostOf()', () => {
  // Examples 1 and 4 of the platform's page of prices of Workers, 1 to 4 of that of Durable Objects.
  it.each([
    [8, { workerRequests: 15e6, cpuMs: 7 * 15e6 }],
    [45.4, { workerRequests: 100e6, cpuMs: 7 * 100e6 }],
    [5.15, { objectRequests: 1.5e6, objectMs: 1e9 }],
    [142.95, { objectRequests: 3.75e6, objectMs: 100 * 8 * 3600 * 30 * 1000 }],
    [419.3, { objectRequests: 12_960_100, objectMs: 100 * monthMs }],
    [20.65, { objectRequests: 21_610_000, objectMs: (100 * monthMs) / 60 }],
  ])('is $%d in an example of the platform', (dollars, usage) => {
    expect(monthlyCostOf({ ...nothing, ...usage })).toBeCloseTo(dollars, 6)
  })

  it('is the least of a plan for what a month includes', () => {
    const included = {
      workerRequests: prices.workerRequests.included,
      cpuMs: prices.cpuMs.included,
      objectRequests: prices.objectRequests.included,
      objectMs: (prices.objectGigabyteSeconds.included / 0.128) * 1000,
      rowsRead: prices.rowsRead.included,
      rowsWritten: prices.rowsWritten.included,
    }
    expect(monthlyCostOf(included)).toBe(5)
    expect(monthlyCostOf({ ...included, rowsWritten: included.rowsWritten + 1e6 })).toBe(6)
  })
})

describe('costOf()', () => {
  it('is the price of each million, processor time that could not be read left out', () => {
    const million = { workerRequests: 1e6, objectRequests: 1e6, rowsRead: 1e6, rowsWritten: 1e6 }
    expect(costOf({ ...nothing, ...million, cpuMs: Number.NaN })).toBeCloseTo(0.3 + 0.15 + 0.001 + 1, 9)
  })
})

describe('costPage()', () => {
  it('has every price with its page, and of each row what a million uses and costs', () => {
    const usage = { ...nothing, workerRequests: 20, cpuMs: Number.NaN, objectRequests: 20, rowsWritten: 10 }
    const page = costPage([{ unit: 'decisions', done: 20, usage }])
    for (const { what, page: address } of Object.values(prices)) {
      expect(page).toContain(`| ${what} |`)
      expect(page).toContain(address)
    }
    expect(page).toContain(
      '| decisions | 1.00 million | not read | 1.00 million | 0 | 0 | 500,000 | 0.95 | 5.00, 6.35, 46.85 |',
    )
  })
})

describe('ratePage()', () => {
  it('has what a decision uses, its price with the aim beside it, and the month of statistics at that rate', () => {
    const plan = {
      name: 'one a second',
      everyMs: 1_000,
      keys: 1,
      unit: 'minute',
      limit: 9,
      vars: {},
      before: 0,
    } as const
    const used = { objectRequests: 100, objectMs: 50, rowsRead: 0, rowsWritten: 20 }
    const classes = { COUNTER: used, STATS: { ...used, rowsWritten: 10 } }
    const usage = { ...nothing, workerRequests: 100, objectRequests: 200, objectMs: 100, rowsWritten: 30 }
    const page = ratePage([{ plan: { ...plan, count: 100, aim: { rows: 0.2, dollars: 0.9 } }, classes, usage }])
    // 0.30 + 2 × 0.15 + 0.30 and the time; in a month of 2,592,000 seconds.
    expect(page).toContain(
      '| one a second | 2.00 | 0.00 | 0.30 (of counters 0.20, aim 0.2) | 1.00 | 0.90 (0.9) | 2.34 |',
    )
    expect(page).toContain('| one a second | 0.30 | 0.35 | 0.00 | 0.00 | 0.25 | 0.65 |')
  })
})
