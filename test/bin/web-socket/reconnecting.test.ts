/** A WebSocket that is opened again, over sockets of the test. */

import type { WebSocket } from 'undici'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createReconnectingSocket, type Loss, reconnectDelayMs } from '#bin/web-socket/reconnecting.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

class FakeSocket extends EventTarget {
  close(): void {}
  say(data: string): void {
    this.dispatchEvent(new MessageEvent('message', { data }))
  }
  lose(code: number, reason: string): void {
    this.dispatchEvent(Object.assign(new Event('close'), { code, reason }))
  }
}

function setUp(delayMs: number | null) {
  const sockets: FakeSocket[] = []
  const texts: string[] = []
  const losses: Loss[] = []
  const socket = createReconnectingSocket({
    connect() {
      const made = new FakeSocket()
      sockets.push(made)
      // Every member that is used is there.
      return made as unknown as WebSocket
    },
    onText: (text) => texts.push(text),
    onLoss(loss) {
      losses.push(loss)
      return delayMs
    },
  })
  const at = (index: number) => sockets[index] ?? expect.fail(`there is no connection ${index}`)
  return { socket, sockets, at, texts, losses }
}

it('createReconnectingSocket() connects again after the delay, and leaves out what an older socket says', async () => {
  const { socket, sockets, at, texts, losses } = setUp(500)
  at(0).lose(1006, 'gone')
  expect(socket.current()).toBeNull()
  await vi.advanceTimersByTimeAsync(499)
  expect(sockets.length).toBe(1)
  await vi.advanceTimersByTimeAsync(1)
  at(0).say('old')
  at(1).say('new')
  socket.lose('silent')
  expect(texts).toEqual(['new'])
  expect(losses).toEqual([
    { code: 1006, reason: 'gone' },
    { code: 0, reason: 'silent' },
  ])
})

it('createReconnectingSocket() stays away when onLoss() returns null, and after close()', async () => {
  const ended = setUp(null)
  ended.at(0).lose(4000, '')
  const closed = setUp(500)
  closed.at(0).lose(1006, '')
  closed.socket.close()
  await vi.advanceTimersByTimeAsync(10_000)
  expect([ended.sockets.length, closed.sockets.length]).toEqual([1, 1])
})

it('reconnectDelayMs() doubles from 100 ms to 5 s', () => {
  expect([0, 1, 5, 6, 2_000].map(reconnectDelayMs)).toEqual([100, 200, 3_200, 5_000, 5_000])
})
