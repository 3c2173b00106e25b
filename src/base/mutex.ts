/** Mutex: tasks that must not overlap, such as writing with one key, run one after the other. */

/** Runs tasks one after the other, in the order they came. */
export interface Mutex {
  /** Waits for all earlier tasks, then runs this one; a task that fails lets the next one go. */
  run<T>(task: () => Promise<T>): Promise<T>
}

/** Makes a mutex that is not held. */
export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve()
  return {
    run(task) {
      const result = last.then(task)
      last = result.catch(() => undefined)
      return result
    },
  }
}
