/** A pause in long work: what waits for the thread has it in between. */

/** Ends in a later turn of the event loop. */
export function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0))
}
