/** The table of costs, made of what pieces of work used. */

import { costOf, leastPerMonth, monthlyCostOf, prices, pricesReadIn, quantitiesOf, type Usage } from './prices.ts'
import type { RateUsage } from './rates.ts'

/** One row of the table: a unit of work, how many were done, and what they used. */
export interface CostRow {
  readonly unit: string
  readonly done: number
  readonly usage: Usage
}

/** The prices with the pages that say so, and what a million units of each row use and cost. */
export function costPage(rows: readonly CostRow[]): string {
  return [
    `Prices of the paid plan, compared with the platform's pages in ${pricesReadIn}; compare them again before you plan by them. A month costs ${leastPerMonth} US dollars at the least.`,
    priceTable(),
    'What a million of each uses, what that costs beyond what a month includes, and what months with 1, 10 and 100 million of them and nothing else cost.',
    costTable(rows),
  ].join('\n\n')
}

/** The table of decisions by rate: what one uses, what a million cost, what a month at that rate costs. */
export function ratePage(measured: readonly RateUsage[]): string {
  return [
    'Decisions by rate, at even distances, metered with a clock that the bench moves: timers and alarms come at their moments, objects that wait for nothing are forgotten after ten seconds, and time in which a timer or a socket keeps an object awake is charged. Every row has the check of the rules, statistics and usage in it. New keys are metered until nothing is left of them. In brackets: the aim.',
    rateTable(measured),
    'What it is made of, US dollars a million; statistics and usage are by time and not by decision, so that they have a price of a month too.',
    partTable(measured),
  ].join('\n\n')
}

function rateTable(measured: readonly RateUsage[]): string {
  return markdown(
    [
      'decisions',
      'object requests each',
      'rows read',
      'rows written',
      'awake ms',
      '$ a million',
      '$ a month at that rate',
    ],
    measured.map(({ plan, classes, usage }) => {
      const each = (value: number) => (value / plan.count).toFixed(2)
      const counters = classes.COUNTER?.rowsWritten ?? 0
      const rows = plan.aim?.rows === undefined ? '' : ` (of counters ${each(counters)}, aim ${plan.aim.rows})`
      const dollars = (costOf(usage) / plan.count) * 1e6
      const aim = plan.aim === undefined ? '' : ` (${plan.aim.dollars})`
      const month = (costOf(usage) * 30 * 86_400_000) / plan.everyMs / plan.count
      return [
        plan.name,
        each(usage.objectRequests),
        each(usage.rowsRead),
        `${each(usage.rowsWritten)}${rows}`,
        each(usage.objectMs),
        `${dollars.toFixed(2)}${aim}`,
        month.toFixed(2),
      ]
    }),
  )
}

function partTable(measured: readonly RateUsage[]): string {
  return markdown(
    ['decisions', 'Worker', 'counter', 'Redis', 'check of the rules', 'statistics and usage', 'these, $ a month'],
    measured.map(({ plan, classes, usage }) => {
      const dollarsOf = (binding: string) => {
        const used = classes[binding]
        return used === undefined ? 0 : (costOf({ ...used, workerRequests: 0, cpuMs: 0 }) / plan.count) * 1e6
      }
      const none = { objectRequests: 0, objectMs: 0, rowsRead: 0, rowsWritten: 0 }
      const worker = (costOf({ ...usage, ...none }) / plan.count) * 1e6
      const parts = [worker, ...['COUNTER', 'REDIS', 'RULE_BOOK', 'STATS'].map(dollarsOf)]
      const month = (dollarsOf('STATS') / 1e6) * ((30 * 86_400_000) / plan.everyMs)
      return [plan.name, ...parts.map((part) => part.toFixed(2)), month.toFixed(2)]
    }),
  )
}

function priceTable(): string {
  return markdown(
    ['what', 'included in a month', 'each million more', 'page'],
    Object.values(prices).map(({ what, included, perMillion, page }) => [
      what,
      shown(included),
      `$${perMillion}`,
      `<${page}>`,
    ]),
  )
}

function costTable(rows: readonly CostRow[]): string {
  return markdown(
    [
      ...['a million of', 'Worker requests', 'processor s', 'object requests', 'object GB-s'],
      ...['rows read', 'rows written', 'US dollars', 'months'],
    ],
    rows.map((row) => {
      const million = timesOf(row, 1e6)
      const { workerRequests, objectRequests, objectGigabyteSeconds, rowsRead, rowsWritten } = quantitiesOf(million)
      const quantities = [workerRequests, million.cpuMs / 1000, objectRequests, objectGigabyteSeconds]
      const months = [1e6, 10e6, 100e6].map((units) => monthlyCostOf(timesOf(row, units)).toFixed(2))
      return [
        row.unit,
        ...[...quantities, rowsRead, rowsWritten].map(shown),
        costOf(million).toFixed(2),
        months.join(', '),
      ]
    }),
  )
}

/** Scales a usage to so many units. */
function timesOf({ usage, done }: CostRow, units: number): Usage {
  const times = (value: number) => (value / done) * units
  return {
    workerRequests: times(usage.workerRequests),
    cpuMs: times(usage.cpuMs),
    objectRequests: times(usage.objectRequests),
    objectMs: times(usage.objectMs),
    rowsRead: times(usage.rowsRead),
    rowsWritten: times(usage.rowsWritten),
  }
}

function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

function shown(value: number): string {
  if (Number.isNaN(value)) return 'not read'
  if (value >= 1e9) return `${(value / 1e9).toFixed(2)} billion`
  if (value >= 1e6) return `${(value / 1e6).toFixed(2)} million`
  return Math.round(value).toLocaleString('en-US')
}
