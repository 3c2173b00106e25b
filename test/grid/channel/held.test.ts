/** Messages that are held: plain JSON and back, in the order of their link, and due in the step in which they go on. */

import { describe, expect, it } from 'vitest'
import type { Interception } from '#grid/channel/attackers.ts'
import {
  hold,
  resumeInterception,
  resumeMessage,
  resumeTransmission,
  storeMessage,
  takeDue,
} from '#grid/channel/held.ts'
import type { StepContext } from '#grid/step/step-context.ts'
import type { HeldMessage } from '#grid/step/world.ts'
import type { Message } from '#grid/telecontrol/message.ts'
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

/** Stores a message with its interception. */
const store = (message: Message, interception: Interception) =>
  storeMessage({ message, interception, trace: null, numbers })

/** A message on its way, told apart by its first octet. */
const onTheWay = (context: StepContext, octet: number, link = 'a-b'): Omit<HeldMessage, 'dueUs'> =>
  store(datagram(context, 0, Uint8Array.of(octet), { link }), held)

const octets = (messages: readonly HeldMessage[]) => messages.map(({ originalHex }) => Number.parseInt(originalHex, 16))

describe('storeMessage()', () => {
  it('keeps a message as it was sent and as it goes on, through JSON', () => {
    const world = startWorld()
    enable(world, 'DROP')
    const context = contextOf(world)
    const attack = must(world.attacks[0])
    const message = datagram(context, 5, Uint8Array.of(1, 2), { purpose: 'command' })
    const stored = store(message, { ...held, attack })
    const read: typeof stored = JSON.parse(JSON.stringify(stored))
    expect(read).toEqual(stored)
    expect(resumeMessage(read)).toEqual(message)
    expect(resumeInterception(context.world, read)).toEqual({ ...held, delayUs: 0, attack })
    expect([read.delayUs, read.payloadHex, read.originalHex]).toEqual([1235, 'ff02', '0102'])
  })

  it('names an attack that has ended', () => {
    const context = contextOf()
    const early = { ...onTheWay(context, 1), attackId: 'DELAY-3' }
    expect(resumeInterception(context.world, early)).toMatchObject({
      outcome: 'attacked',
      attack: {
        order: { attack_id: 'DELAY-3', type: 'DELAY' },
        sinceUs: early.sentUs,
        counters: { total_packets: 0, modified_packets: 0, dropped_packets: 0 },
      },
    })
  })
})

describe('hold()', () => {
  it('holds messages for a later step, and releases those of this step in the order of their times', () => {
    const context = contextOf()
    const { startUs, endUs } = context
    hold(context, onTheWay(context, 1, 'one'), endUs)
    hold(context, onTheWay(context, 2, 'two'), startUs + 900)
    hold(context, onTheWay(context, 3, 'three'), startUs + 100)
    hold(context, onTheWay(context, 4, 'four'), startUs + 900)
    expect(octets(context.world.held)).toEqual([1])
    expect(octets(context.due)).toEqual([3, 2, 4])
  })

  it('does not let a message overtake the one before it on its link', () => {
    const context = contextOf()
    const { startUs, endUs } = context
    hold(context, onTheWay(context, 1), endUs + 5_000)
    hold(context, onTheWay(context, 2), startUs + 10)
    hold(context, onTheWay(context, 3, 'other'), startUs + 10)
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

describe('resumeTransmission()', () => {
  it('gives a message with its numbers and the time that it was held; unaltered octets stay one value', () => {
    const context = contextOf()
    const stored = store(datagram(context, 5, Uint8Array.of(1)), { ...held, payload: Uint8Array.of(1) })
    const {
      message,
      interception,
      numbers: taken,
    } = resumeTransmission(context, { ...stored, dueUs: stored.sentUs + 700 })
    expect(interception).toMatchObject({ delayUs: 700, outcome: 'attacked' })
    expect(interception.payload).toBe(message.payload)
    expect(taken).toEqual(numbers)
  })
})
