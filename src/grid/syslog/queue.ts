/** Messages that wait for a collector: a bounded number of them, and how many were lost for lack of room. */

/** Bounds of the queue: messages, and their octets. One order of a step can make some thousands at once. */
export const queueBounds = { messages: 20_000, octets: 8 * 1024 * 1024 } as const

/** Messages that wait, the oldest first. */
export interface SyslogQueue {
  readonly waiting: Uint8Array[]
  waitingOctets: number
  /** Dropped messages that no notice has reported yet. */
  unreported: number
  /** Messages that found no room, ever. */
  dropped: number
}

/** An empty queue. */
export function createSyslogQueue(): SyslogQueue {
  return { waiting: [], waitingOctets: 0, unreported: 0, dropped: 0 }
}

/** Tests that a message of so many octets finds room. */
export function hasRoom({ waiting, waitingOctets }: SyslogQueue, octets: number): boolean {
  return waiting.length < queueBounds.messages && waitingOctets + octets <= queueBounds.octets
}

/** Appends a message where there is room, or counts it as dropped. */
export function enqueue(queue: SyslogQueue, message: Uint8Array): void {
  if (!hasRoom(queue, message.length)) {
    queue.unreported += 1
    queue.dropped += 1
    return
  }
  queue.waiting.push(message)
  queue.waitingOctets += message.length
}

/** Reads the oldest messages as far as they fit into so many octets, at least one; they stay until `forget`. */
export function peek({ waiting }: SyslogQueue, octets: number): readonly Uint8Array[] {
  let taken = 0
  const end = waiting.findIndex((message, index) => {
    taken += message.length
    return index > 0 && taken > octets
  })
  return end < 0 ? waiting.slice() : waiting.slice(0, end)
}

/** Removes the oldest messages, which the collector took. */
export function forget(queue: SyslogQueue, count: number): void {
  for (const message of queue.waiting.splice(0, count)) queue.waitingOctets -= message.length
}

/** Removes all messages. */
export function empty(queue: SyslogQueue): void {
  forget(queue, queue.waiting.length)
  queue.unreported = 0
}
