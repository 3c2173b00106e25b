/** A bound on a wait. */

/** Waits for an action, which itself goes on, but no longer than some milliseconds. */
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
