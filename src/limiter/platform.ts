/** The network, the clock and the timer that a limiter uses when it is given no others. */

/** The platform of a limiter; give another to test. */
export interface LimiterPlatform {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Unix time in milliseconds. */
  readonly now: () => number
  /** Calls back after this many milliseconds, unless it is called off. */
  readonly after: (ms: number, callback: () => void) => { cancel(): void }
}

/** The platform's own. */
export const defaultPlatform: LimiterPlatform = {
  // Called through a function of ours: some platforms refuse `fetch` as the method of an object.
  fetch: (url, init) => fetch(url, init),
  now: () => Date.now(),
  after: (ms, callback) => {
    // A longer time would come at once.
    const timer = setTimeout(callback, Math.min(ms, 2 ** 31 - 1))
    return { cancel: () => clearTimeout(timer) }
  },
}
