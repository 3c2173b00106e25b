/** The table of costs, made of what pieces of work used. */

import { costOf, leastPerMonth, monthlyCostOf, prices, pricesReadIn, quantitiesOf, type Usage } from './prices.ts'

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
