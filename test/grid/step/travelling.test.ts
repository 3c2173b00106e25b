/** Messages that are held: plain JSON and back, in the order of their link, and due in the step in which they go on. */

import { describe, expect, it } from 'vitest'
import type { Interception } from '#grid/step/interception.ts'
import type { StepContext } from '#grid/step/step-context.ts'
import { delay, interceptionOf, takeDue, toMessage, travelling } from '#grid/step/travelling.ts'
import type { HeldMessage } from '#grid/step/world.ts'
import { contextOf, datagram } from '../../support/grid-context.ts'
import { enable, startWorld } from '../../support/grid-session.ts'
import { must } from '../../support/must.ts'

const numbers = { identification: 9, sequence: 0, acknowledgment: 0 }

const held: Interception = {
  payload: Uint8Array.of(0xff, 2),
  outcome: 'attacked',
  delayUs: 1234.6,
  attack: null,
  description: 'Held for a while',
}

/** A message on its way, told apart by its first octet. */
const onTheWay = (context: StepContext, octet: number, link = 'a-b'): Omit<HeldMessage, 'dueUs'> =>
  travelling(datagram(context, 0, Uint8Array.of(octet), { link }), held, { numbers })

const octets = (messages: readonly HeldMessage[]) =>
  messages.map(({ originalHex }) => Number.parseInt(originalHex, 16))

describe('travelling()', () => {
  it('keeps a message as it was sent and as it goes on, through JSON', () => {
    const world = startWorld()
    enable(world, 'DROP')
    const context = contextOf(world)
    const attack = must(world.attacks[0])
    const message = datagram(context, 5, Uint8Array.of(1, 2), { purpose: 'command' })
    const stored = travelling(message, { ...held, attack }, { numbers })
    const read: typeof stored = JSON.parse(JSON.stringify(stored))
    expect(read).toEqual(stored)
    expect(toMessage(read)).toEqual(message)
    expect(interceptionOf(context, read)).toEqual({ ...held, delayUs: 0, attack })
    expect([read.delayUs, read.payloadHex, read.originalHex]).toEqual([1235, 'ff02', '0102'])
  })

  it('names an attack that has ended', () => {
    const context = contextOf()
    const early = { ...onTheWay(context, 1), attackId: 'DELAY-3' }
    expect(interceptionOf(context, early)).toMatchObject({
      outcome: 'attacked',
      attack: { order: { attack_id: 'DELAY-3', type: 'DELAY' } },
    })
  })
})

describe('delay()', () => {
  it('holds what goes on in a later step, and lets go in this one by time', () => {
    const context = contextOf()
    const { startUs, endUs } = context
    delay(context, onTheWay(context, 1, 'one'), endUs)
    delay(context, onTheWay(context, 2, 'two'), startUs + 900)
    delay(context, onTheWay(context, 3, 'three'), startUs + 100)
    delay(context, onTheWay(context, 4, 'four'), startUs + 900)
    expect(octets(context.world.held)).toEqual([1])
    expect(octets(context.due)).toEqual([3, 2, 4])
  })

  it('does not let a message overtake the one before it on its link', () => {
    const context = contextOf()
    const { startUs, endUs } = context
    delay(context, onTheWay(context, 1), endUs + 5_000)
    delay(context, onTheWay(context, 2), startUs + 10)
    delay(context, onTheWay(context, 3, 'other'), startUs + 10)
    expect(context.world.held.map(({ dueUs }) => dueUs)).toEqual([endUs + 5_000, endUs + 5_000])
    expect(octets(context.world.held)).toEqual([1, 2])
    expect(octets(context.due)).toEqual([3])
  })
})

describe('takeDue()', () => {
  it('moves what is due before the end of the step, in the order of time', () => {
    const context = contextOf()
    const { endUs } = context
    const at = (octet: number, dueUs: number): HeldMessage => ({ ...onTheWay(context, octet), dueUs })
    context.world.held = [at(1, endUs - 1), at(2, endUs), at(3, endUs - 500)]
    takeDue(context)
    expect(octets(context.due)).toEqual([3, 1])
    expect(octets(context.world.held)).toEqual([2])
    takeDue(context)
    expect(octets(context.due)).toEqual([3, 1])
  })
})
