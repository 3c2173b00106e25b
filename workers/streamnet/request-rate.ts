/** Requests of each client address in a minute, counted by this isolate. */

/** Counts requests by address. */
export interface RequestRate {
  /** Counts a request: 0 when it may go on, else the seconds until the next minute. */
  take(address: string, nowMs: number): number
}

/** Addresses that have a count each; further ones share one. */
const maxAddresses = 10_000
/** The requests that all addresses together may make, as a multiple of what one may make. */
const allFactor = 50
const minuteMs = 60_000

/** Makes a counter of aligned minutes, which drops all counts when a minute ends. */
export function createRequestRate(perMinute: number): RequestRate {
  let minute = -1
  let counts = new Map<string, number>()
  let total = 0
  return {
    take(address, nowMs) {
      const current = Math.floor(nowMs / minuteMs)
      if (current !== minute) [minute, counts, total] = [current, new Map(), 0]
      const key = counts.has(address) || counts.size < maxAddresses ? address : ''
      const count = (counts.get(key) ?? 0) + 1
      if (count > perMinute || total >= perMinute * allFactor) {
        return Math.ceil(((current + 1) * minuteMs - nowMs) / 1000)
      }
      counts.set(key, count)
      total += 1
      return 0
    },
  }
}
