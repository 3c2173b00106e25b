/** A bound on a wait. */

/**
 * Waits for an action, but no longer than some milliseconds. The action itself goes on.
 *
 * @throws Error `took longer than N ms` after them, or the error of the action before.
 */
export async function inTime<T>(action: Promise<T>, milliseconds: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`took longer than ${milliseconds} ms`)), milliseconds)
  })
  try {
    return await Promise.race([action, late])
  } finally {
    if (timer !== undefined) clearTimeout(timer)
  }
}
