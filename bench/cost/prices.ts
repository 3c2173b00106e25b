/**
 * Prices of the platform's paid plan, in US dollars: included units of a month, and the price of a million more.
 *
 * @see https://developers.cloudflare.com/workers/platform/pricing/
 * @see https://developers.cloudflare.com/durable-objects/platform/pricing/
 */

/** The month in which these numbers were compared with the platform's pages, which decide. */
export const pricesReadIn = 'November 2026'

/** Least price of a month on the paid plan. */
export const leastPerMonth = 5

const pages = {
  workers: 'https://developers.cloudflare.com/workers/platform/pricing/',
  objects: 'https://developers.cloudflare.com/durable-objects/platform/pricing/',
} as const

/** The price of one thing that is counted. */
export interface Price {
  readonly what: string
  /** Units in the price of the plan, each month. */
  readonly included: number
  readonly perMillion: number
  /** True when the platform's examples charge a million that has begun in full. */
  readonly isRoundedUp: boolean
  /** The page that says so. */
  readonly page: string
}

/** Every price that the table uses. */
export const prices = {
  workerRequests: price('requests to a Worker', 10e6, 0.3, 'workers'),
  cpuMs: price('milliseconds of processor time of a Worker', 30e6, 0.02, 'workers'),
  objectRequests: price('requests to objects: calls of a method, and alarms', 1e6, 0.15, 'objects'),
  objectGigabyteSeconds: price('gigabyte-seconds in which objects work', 400e3, 12.5, 'objects'),
  rowsRead: price('rows read by SQL, or keys read', 25e9, 0.001, 'objects'),
  rowsWritten: price('rows written or deleted by SQL, or keys and alarms set', 50e6, 1, 'objects'),
} as const

function price(what: string, included: number, perMillion: number, page: keyof typeof pages): Price {
  return { what, included, perMillion, isRoundedUp: page === 'objects', page: pages[page] }
}

/** The memory that the platform counts for a working object, in gigabytes: 128 MB, however little it uses. */
const objectGigabytes = 0.128

/** Usage of a number of units. */
export interface Usage {
  readonly workerRequests: number
  /** Milliseconds of processor time; NaN where it could not be read. */
  readonly cpuMs: number
  readonly objectRequests: number
  /** Milliseconds in which objects worked; requests that one object answers at the same time share them. */
  readonly objectMs: number
  readonly rowsRead: number
  readonly rowsWritten: number
}

type Quantities = Readonly<Record<keyof typeof prices, number>>

/** The quantities that are charged. */
export function quantitiesOf({ cpuMs, objectMs, ...counted }: Usage): Quantities {
  return {
    ...counted,
    cpuMs: Number.isNaN(cpuMs) ? 0 : cpuMs,
    objectGigabyteSeconds: (objectMs / 1000) * objectGigabytes,
  }
}

/** Computes the price beyond the included units of a month, in US dollars. */
export function costOf(usage: Usage): number {
  return sum(usage, (quantity, { perMillion }) => (quantity / 1e6) * perMillion)
}

/** Computes the price of a month with this usage only, in US dollars, rounded as in the platform's examples. */
export function monthlyCostOf(usage: Usage): number {
  const beyond = sum(usage, (quantity, { included, perMillion, isRoundedUp }) => {
    const millions = Math.max(0, quantity - included) / 1e6
    return (isRoundedUp ? Math.ceil(millions) : millions) * perMillion
  })
  return leastPerMonth + beyond
}

function sum(usage: Usage, charge: (quantity: number, price: Price) => number): number {
  const quantities = quantitiesOf(usage)
  // The names of a constant object.
  const names = Object.keys(prices) as (keyof typeof prices)[]
  return names.reduce((total, name) => total + charge(quantities[name], prices[name]), 0)
}
