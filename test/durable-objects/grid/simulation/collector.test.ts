/** The connection to a collector that is away: attempts end, messages stay, and the next message begins anew. */

import { describe, expect, it, vi } from 'vitest'
import { createSyslogQueue, enqueue } from '#grid/syslog/queue.ts'
import { openCollector } from '#objects/grid/simulation/collector.ts'

/** A port of this machine that refuses connections. */
const away = { host: '127.0.0.1', port: 1, tls: false }

const patience = { timeout: 60_000, interval: 5 }

function openAway(limits: Parameters<typeof openCollector>[1]) {
  const queue = createSyslogQueue()
  const logger = { error: vi.fn(), warning: vi.fn(), info: vi.fn(), audit: vi.fn() }
  const collector = openCollector({ address: away, queue, logger, onTaken: () => undefined }, limits)
  const send = () => {
    enqueue(queue, new Uint8Array(10))
    collector.begin()
  }
  return { queue, logger, collector, send }
}

describe('openCollector()', () => {
  it('ends its attempts after the time for them, keeps the messages, and tries again with the next one', async () => {
    const { queue, logger, collector, send } = openAway({ first: 1, longest: 5, whole: 50 })
    send()
    await vi.waitFor(() => expect(logger.warning).toHaveBeenCalledTimes(1), patience)
    const failures = collector.failures()
    expect(failures).toBeGreaterThan(1)
    expect(logger.warning.mock.calls[0]?.[0]).toBe(
      'Cannot send syslog to tcp://127.0.0.1:1: attempts end until the next message, 1 wait',
    )
    // After its rest: a message that comes earlier only waits.
    await vi.waitFor(() => {
      send()
      expect(collector.failures()).toBeGreaterThan(failures)
    }, patience)
    expect(queue.waiting.length).toBeGreaterThan(1)
    expect(queue.dropped).toBe(0)
    collector.close()
  })

  it('makes no attempt for a message that comes while it rests', async () => {
    const { logger, collector, send } = openAway({ first: 1, longest: 60_000, whole: 0 })
    send()
    await vi.waitFor(() => expect(logger.warning).toHaveBeenCalledTimes(1), patience)
    for (let count = 0; count < 10; count++) send()
    expect(collector.failures()).toBe(1)
    await new Promise((resolve) => setTimeout(resolve, 0))
    expect(collector.failures()).toBe(1)
    expect(logger.warning).toHaveBeenCalledTimes(1)
    collector.close()
  })
})
