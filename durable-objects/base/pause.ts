/** A pause in long work: what waits for the thread has it in between. */

/** Turns of the event loop in a pause: a request takes some, from its octets to its answer. */
const turns = 4

/** Ends some turns of the event loop later. */
export async function pause(): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setTimeout(resolve, 0))
}
