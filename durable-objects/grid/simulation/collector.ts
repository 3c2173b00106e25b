/** The connection to a syslog collector: opened for the first message that waits, and again after it broke. */

import { concatBytes } from '#base/bytes.ts'
import type { Logger } from '#base/logger.ts'
import { empty, forget, peek, type SyslogQueue } from '#grid/syslog/queue.ts'
import type { CollectorAddress } from '#grid/syslog/settings.ts'
import { type OneWay, openOneWay } from './one-way.ts'

/** Octets in one write; later messages wait for it. */
const batchOctets = 64 * 1024

/** Longest wait in milliseconds for the connection and for each write. */
const timeoutMs = 10_000

/** Milliseconds without a message after which the connection ends; an open one keeps the object in memory. */
const idleMs = 60_000

/** Milliseconds of attempts to reach a collector that is away. */
const retries = {
  /** Between two attempts: doubled at each failure, up to `longest`. */
  first: 250,
  longest: 30_000,
  /** From the first failure to the last attempt: a pending one keeps the object awake, for which the platform charges. */
  whole: 600_000,
}

interface CollectorParts {
  readonly address: CollectorAddress
  readonly queue: SyslogQueue
  readonly logger: Logger
  /** Called after each batch that the collector's connection took. */
  readonly onTaken: () => void
}

/** The connection of one queue to its collector. */
export type Collector = ReturnType<typeof openCollector>

/**
 * Opens a collector, which connects with the first message. A batch that was not written whole is sent again: syslog has
 * no acknowledgment. A series of failed attempts ends, so that it does not keep the object awake; `begin` starts another.
 */
export function openCollector(
  { address, queue, logger, onTaken }: CollectorParts,
  { first, longest, whole } = retries,
) {
  const collector = `${address.tls ? 'tls' : 'tcp'}://${address.host}:${address.port}`
  let sent = 0
  let failures = 0
  let connection: OneWay | undefined
  let isSending = false
  /** Unix time in milliseconds before which no new series of attempts begins. */
  let pausedUntil = 0
  const wait = createWait()
  let idle: ReturnType<typeof setTimeout> | undefined

  async function sendBatch(): Promise<void> {
    const batch = peek(queue, batchOctets)
    if (connection?.isOpen() !== true) connection = await openOneWay(address, timeoutMs)
    await connection.write(concatBytes(...batch))
    sent += batch.length
    // `close` may have emptied the queue meanwhile: then it begins with another message.
    if (queue.waiting[0] === batch[0]) forget(queue, batch.length)
    if (failures > 0) logger.warning('Syslog reaches its collector again', { collector })
    failures = 0
    onTaken()
  }

  async function sendWaiting(): Promise<void> {
    isSending = true
    let giveUpAt = Number.POSITIVE_INFINITY
    while (queue.waiting.length > 0 && Date.now() < giveUpAt) {
      try {
        await sendBatch()
        giveUpAt = Number.POSITIVE_INFINITY
      } catch (error) {
        if (failures === 0) logger.error(`Cannot send syslog to ${collector}: messages wait`, error)
        giveUpAt = Math.min(giveUpAt, Date.now() + whole)
        await wait.begin(Math.min(longest, first * 2 ** failures))
        failures += 1
      }
    }
    isSending = false
    if (queue.waiting.length === 0) idle = setTimeout(() => connection?.close(), idleMs)
    else {
      pausedUntil = Date.now() + longest
      logger.warning(
        `Cannot send syslog to ${collector}: attempts end until the next message, ${queue.waiting.length} wait`,
      )
    }
  }

  return {
    /** Begins to send the queue, unless it is being sent; after the last attempt of a series, a new one. */
    begin() {
      if (isSending || queue.waiting.length === 0) return
      // A clock that was set back since must not make the rest longer.
      if (pausedUntil - longest <= Date.now() && Date.now() < pausedUntil) return
      if (idle !== undefined) clearTimeout(idle)
      void sendWaiting()
    },
    isConnected: () => connection?.isOpen() === true,
    /** Messages that were written to a connection. */
    sent: () => sent,
    failures: () => failures,
    close() {
      empty(queue)
      pausedUntil = 0
      wait.end()
      connection?.close()
    },
  }
}

/** Makes a wait that can be ended before its time. */
function createWait() {
  let end: (() => void) | undefined
  return {
    begin(ms: number): Promise<void> {
      return new Promise((resolve) => {
        const timer = setTimeout(resolve, ms)
        end = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    },
    end: () => end?.(),
  }
}
