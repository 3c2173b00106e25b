/** Adaptive group commit: writes that overlap share one trip to the disk. */

/** A commit that somebody is waiting for. */
interface Commit {
  readonly done: Promise<void>
  readonly resolve: () => void
  readonly reject: (reason: unknown) => void
}

/**
 * Makes a function that commits and waits until the commit is durable.
 *
 * The first caller writes at once. Callers that arrive while that commit is on its way to the disk wait for it and
 * then share the next one, so the cost of a commit is divided by the number of callers it makes wait.
 *
 * @param write - Writes everything that has changed since its last call; synchronous.
 * @param sync - Resolves when everything written so far is durable.
 * @returns a function that resolves once what had changed when it was called is durable, and rejects when
 *   `write` or `sync` failed.
 */
export function groupCommit(write: () => void, sync: () => Promise<void>): () => Promise<void> {
  let isRunning = false
  let next: Commit | undefined

  async function run(): Promise<void> {
    while (next !== undefined) {
      const current = next
      next = undefined
      try {
        write()
        await sync()
        current.resolve()
      } catch (error) {
        current.reject(error)
      }
    }
    isRunning = false
  }

  return () => {
    next ??= startCommit()
    const { done } = next
    if (!isRunning) {
      isRunning = true
      void run()
    }
    return done
  }
}

function startCommit(): Commit {
  let resolve: Commit['resolve'] = () => {}
  let reject: Commit['reject'] = () => {}
  const done = new Promise<void>((onDone, onFailure) => {
    resolve = onDone
    reject = onFailure
  })
  return { done, resolve, reject }
}
