/** Messages that wait for a collector: bounded twice, the oldest first, losses counted. */

import { expect, test } from 'vitest'
import { createSyslogQueue, empty, enqueue, forget, peek, queueBounds } from '#grid/syslog/queue.ts'

const message = (length: number) => new Uint8Array(length)

test('enqueue() takes messages up to either bound, and counts the others', () => {
  const queue = createSyslogQueue()
  for (let count = 0; count < queueBounds.messages + 3; count++) enqueue(queue, message(1))
  expect([queue.waiting.length, queue.dropped, queue.unreported]).toEqual([queueBounds.messages, 3, 3])
  const heavy = createSyslogQueue()
  const size = 1024 * 1024
  for (let count = 0; count < 10; count++) enqueue(heavy, message(size))
  expect([heavy.waiting.length, heavy.dropped]).toEqual([queueBounds.octets / size, 2])
  empty(heavy)
  expect([heavy.waitingOctets, heavy.unreported, heavy.dropped]).toEqual([0, 0, 2])
})

test('peek() gives the oldest that fit, one at least, and forget() removes them', () => {
  const queue = createSyslogQueue()
  const messages = [message(5), message(4), message(3)]
  for (const one of messages) enqueue(queue, one)
  expect(peek(queue, 1)).toEqual([messages[0]])
  expect(peek(queue, 9)).toEqual(messages.slice(0, 2))
  expect(peek(queue, 100)).toEqual(messages)
  forget(queue, 2)
  expect([queue.waiting, queue.waitingOctets]).toEqual([[messages[2]], 3])
})
