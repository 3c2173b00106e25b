/** The network, the clock, the timer and the console that a client uses when it is given no others. */

/** The platform of a client. Give another to test, to log, to add headers, or to wait on alarms. */
export interface Platform {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Waits this many milliseconds. */
  readonly sleep: (ms: number) => Promise<void>
  /** Unix time in milliseconds. */
  readonly now: () => number
  /** A signal that aborts after this many milliseconds. */
  readonly deadline: (ms: number) => AbortSignal
  /** Prints a line of information. */
  readonly log: (line: string) => void
}

/** The platform's own. */
export const defaultPlatform: Platform = {
  // Called through a function of ours: some platforms refuse `fetch` as the method of an object.
  fetch: (url, init) => fetch(url, init),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  now: () => Date.now(),
  deadline: (ms) => AbortSignal.timeout(ms),
  log: (line) => console.info(line),
}
