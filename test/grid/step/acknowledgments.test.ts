/** Acknowledgments: owed until data of the same side leave, a second segment comes, or the timer of the host runs out. */

import { describe, expect, it } from 'vitest'
import { flush } from '#grid/channel/deliver.ts'
import { decodeFrame } from '#grid/link/frame.ts'
import { findStack } from '#grid/link/ip-stack.ts'
import { acknowledge } from '#grid/step/acknowledgments.ts'
import { abortConnection, closeConnection, openConnection } from '#grid/step/connections.ts'
import { type StepContext, send } from '#grid/step/step-context.ts'
import { contextOf, datagram, far, near, newConnection, onConnection } from '../../support/grid-context.ts'

const octets = Uint8Array.of(1, 2, 3)

function opened() {
  const context = contextOf()
  const connection = newConnection()
  openConnection(context, connection, context.startUs)
  context.drafts.length = 0
  return { context, connection }
}

/** The senders of segments without data, with their times in the step. */
function pure({ drafts, startUs }: StepContext): readonly (readonly [src: string, afterUs: number])[] {
  return drafts.flatMap(({ bytes, src, timeUs }) => {
    const frame = decodeFrame(bytes)
    if (!frame.ok || frame.value.carrier !== 'tcp') throw new Error('not a TCP segment')
    return frame.value.payload.length > 0 ? [] : [[src, timeUs - startUs] as const]
  })
}

/** Computes steps without messages until the acknowledgments that are owed have left. */
function wait(context: StepContext, steps = 3): StepContext {
  let next = context
  for (let count = 0; count < steps; count++) {
    flush(next, () => undefined)
    next = { ...next, startUs: next.endUs, endUs: next.endUs + 100_000 }
  }
  return next
}

describe('acknowledge()', () => {
  it.each(['client', 'server'] as const)('lets the host that received from the %s wait as its stack does', (side) => {
    const { context, connection } = opened()
    const [receiver, from] = side === 'client' ? [far, 'server' as const] : [near, 'client' as const]
    acknowledge(context, onConnection(context, side, 1_000, octets))
    expect(context.drafts).toEqual([])
    wait(context)
    const [least, most] = findStack(context.world.hosts, receiver.ip).acknowledgeUs
    const [[src, afterUs] = ['', 0], ...others] = pure(context)
    expect([src, others]).toEqual([`${connection.flow[from].ip}:${connection.flow[from].port}`, []])
    expect(afterUs >= 1_000 + least && afterUs < 1_000 + most).toBe(true)
    expect(context.world.acknowledgments).toEqual([])
  })

  it('acknowledges a second segment at once, and then owes nothing', () => {
    const { context } = opened()
    acknowledge(context, onConnection(context, 'client', 1_000, octets))
    acknowledge(context, onConnection(context, 'client', 1_100, octets))
    wait(context)
    expect(pure(context)).toEqual([[`${far.ip}:${far.port}`, 1_160]])
  })

  it('leaves it to data of the same side that leave before the timer runs out, and not to those of the other', () => {
    const answered = opened().context
    acknowledge(answered, onConnection(answered, 'client', 1_000, octets))
    send(answered, onConnection(answered, 'server', 1_500, octets))
    flush(answered, () => undefined)
    expect(pure(answered)).toEqual([])
    const asked = opened().context
    acknowledge(asked, onConnection(asked, 'server', 1_000, octets))
    send(asked, onConnection(asked, 'server', 1_500, octets))
    flush(asked, () => undefined)
    expect(pure(asked)).toEqual([[`${near.ip}:${near.port}`, 1_560]])
  })

  it('owes nothing for datagrams, nor on connections that have ended, even when one of the same name is opened', () => {
    for (const end of [closeConnection, abortConnection]) {
      const { context, connection } = opened()
      acknowledge(context, datagram(context, 0, octets))
      acknowledge(context, onConnection(context, 'client', 0, octets))
      end(context, connection.id, context.startUs)
      expect(context.world.acknowledgments).toEqual([])
      acknowledge(context, onConnection(context, 'client', 0, octets))
      openConnection(context, newConnection(), context.startUs + 10)
      context.drafts.length = 0
      wait(context)
      expect(pure(context)).toEqual([])
    }
  })
})
