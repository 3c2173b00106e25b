/** A WebSocket that is opened again, over sockets of the test. */

import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createReconnectingSocket, type Loss, reconnectDelayMs } from '#bin/web-socket/reconnecting.ts'
import { fakeSockets } from '../../support/fake-sockets.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

type Reconnecting = ReturnType<typeof createReconnectingSocket>

function setUp(delayMs: number | null, onLoss: (socket: Reconnecting) => void = () => {}) {
  const { connect, sockets, at } = fakeSockets()
  const texts: string[] = []
  const losses: Loss[] = []
  const socket: Reconnecting = createReconnectingSocket({
    connect,
    onText: (text) => texts.push(text),
    onLoss(loss) {
      losses.push(loss)
      onLoss(socket)
      return delayMs
    },
  })
  return { socket, sockets, at, texts, losses }
}

it('createReconnectingSocket() connects again after the delay, and leaves out what an older socket says', async () => {
  const { socket, sockets, at, texts, losses } = setUp(500)
  at(0).lose(1006, 'gone')
  expect(socket.current()).toBeNull()
  await vi.advanceTimersByTimeAsync(499)
  expect(sockets.length).toBe(1)
  await vi.advanceTimersByTimeAsync(1)
  at(0).sayText('old')
  at(1).sayText('new')
  socket.lose('silent')
  socket.lose('silent again')
  expect(texts).toEqual(['new'])
  expect(losses).toEqual([
    { code: 1006, reason: 'gone' },
    { code: 0, reason: 'silent' },
  ])
})

it('createReconnectingSocket() closes each socket that it leaves, once, and leaves out how an older one ends', async () => {
  const { socket, sockets, at, losses } = setUp(0)
  at(0).fail()
  await vi.advanceTimersByTimeAsync(0)
  socket.lose('silent')
  await vi.advanceTimersByTimeAsync(0)
  for (const index of [0, 1]) {
    at(index).lose(1006, 'late')
    at(index).fail()
  }
  expect(losses.map(({ reason }) => reason)).toEqual(['the service cannot be reached', 'silent'])
  expect(socket.current()).toBe(at(2))
  socket.close()
  at(2).lose(1000, '')
  expect(sockets.map(({ closes }) => closes)).toEqual([1, 1, 1])
  expect(losses).toHaveLength(2)
})

it('createReconnectingSocket() stays away when onLoss() returns null, after close(), and where onLoss() closes it', async () => {
  const ended = setUp(null)
  ended.at(0).lose(4000, '')
  const closed = setUp(500)
  closed.at(0).lose(1006, '')
  closed.socket.close()
  const closedMeanwhile = setUp(500, (socket) => socket.close())
  closedMeanwhile.at(0).lose(1006, '')
  await vi.advanceTimersByTimeAsync(10_000)
  expect([ended, closed, closedMeanwhile].map(({ sockets }) => sockets.length)).toEqual([1, 1, 1])
})

it('reconnectDelayMs() doubles from 100 ms to 5 s', () => {
  expect([0, 1, 5, 6, 2_000].map(reconnectDelayMs)).toEqual([100, 200, 3_200, 5_000, 5_000])
})
