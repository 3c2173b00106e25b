/** Notices a connection that brings nothing while something is expected of it. */

interface SilenceWatchOptions {
  /** Milliseconds without a message; checked once in that time. */
  readonly silentMs: number
  readonly isExpecting: () => boolean
  readonly onSilence: () => void
}

/** Creates a watch, which `start` begins anew for each connection. */
export function createSilenceWatch({ silentMs, isExpecting, onSilence }: SilenceWatchOptions) {
  let lastMs = 0
  let timer: NodeJS.Timeout | undefined
  return {
    start(): void {
      lastMs = Date.now()
      timer = setInterval(() => {
        if (Date.now() - lastMs >= silentMs && isExpecting()) onSilence()
      }, silentMs).unref()
    },
    /** Notes that a message has come. */
    note(): void {
      lastMs = Date.now()
    },
    stop: (): void => clearInterval(timer),
  }
}
