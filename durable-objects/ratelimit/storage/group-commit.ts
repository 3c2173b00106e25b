/** Adaptive group commit: writes that overlap share one trip to the disk. */

interface Commit {
  readonly done: Promise<void>
  readonly resolve: () => void
  readonly reject: (reason: unknown) => void
  waiting: number
}

interface CommitSteps {
  /** Writes everything that has changed since its last call. */
  write(): void
  /** Resolves when everything written so far is durable. */
  sync(): Promise<void>
  /** Called before the callers go on: the commit is durable, or `write` or `sync` failed. */
  end(isDurable: boolean): void
  /** Waits for more callers, about as long as a commit takes. */
  gather(): Promise<void>
}

/** Callers that shared the last commit, from which on it pays to wait for more: they come back together. */
const crowd = 8

/**
 * Makes the commits of one object, at most one of them on its way.
 *
 * The first caller writes at once. Callers that arrive while that commit is on its way to the disk wait for it and
 * then share the next one, so the cost of a commit is divided by the number of callers it makes wait. After a commit
 * that many shared, the next one waits for more: the callers just answered send their next hits one by one, and a
 * commit for only the first of them would make all the others wait for two.
 */
export function groupCommit({ write, sync, end, gather }: CommitSteps) {
  let isRunning = false
  let written: Commit | undefined
  let next: Commit | undefined
  let shared = 0

  function finish(isDurable: boolean): void {
    written = undefined
    end(isDurable)
  }

  async function run(): Promise<void> {
    while (next !== undefined) {
      if (shared >= crowd) await gather()
      const current = next
      shared = current.waiting
      next = undefined
      written = current
      try {
        write()
        await sync()
        finish(true)
        current.resolve()
      } catch (error) {
        finish(false)
        current.reject(error)
      }
    }
    isRunning = false
  }

  return {
    /** Resolves once what had changed at the call is durable, and rejects when `write` or `sync` failed. */
    commit(): Promise<void> {
      next ??= startCommit()
      next.waiting++
      const { done } = next
      if (!isRunning) {
        isRunning = true
        void run()
      }
      return done
    },
    /** Finds the commit that has been written and is not durable yet; undefined for none. */
    running: (): Promise<void> | undefined => written?.done,
  }
}

function startCommit(): Commit {
  let resolve: Commit['resolve'] = () => {}
  let reject: Commit['reject'] = () => {}
  const done = new Promise<void>((onDone, onFailure) => {
    resolve = onDone
    reject = onFailure
  })
  return { done, resolve, reject, waiting: 0 }
}
