/** Counters and schedules of attacks, and the name of one that ended while its message was held. */

import { describe, expect, it } from 'vitest'
import { openConnection } from '#grid/step/connections.ts'
import { count, endedAttack, isScheduled, passAttackers } from '#grid/step/interception.ts'
import { toMessage, travelling } from '#grid/step/travelling.ts'
import { contextOf, datagram, newConnection, onConnection } from '../../support/grid-context.ts'
import { enable, startWorld } from '../../support/grid-session.ts'
import { must } from '../../support/must.ts'

const none = { total_packets: 0, modified_packets: 0, dropped_packets: 0 }

describe('count()', () => {
  it.each(['total_packets', 'modified_packets', 'dropped_packets'] as const)(
    'adds one to %s only',
    (name) => {
      expect(count(none, name)).toEqual({ ...none, [name]: 1 })
      expect(none[name]).toBe(0)
    },
  )
})

describe('isScheduled()', () => {
  const scheduled = (start_frame: number, duration_frames: number) => {
    const schedule = { start_frame, duration_frames }
    const order = { attack_id: 'DROP-1', type: 'DROP', params: {}, schedule, target_link: null, seed: 0 }
    return [0, 1, 2, 3, 4, 1000].filter((seen) => isScheduled(order, seen))
  }

  it.each([
    [0, 0, [0, 1, 2, 3, 4, 1000]],
    [2, 0, [2, 3, 4, 1000]],
    [1, 2, [1, 2]],
    [3, 1, [3]],
  ])('from message %d for %d messages acts on %j', (start, duration, seen) => {
    expect(scheduled(start, duration)).toEqual(seen)
  })
})

describe('passAttackers()', () => {
  /** A world with DROP on all phasor streams, and a report of its first unit. */
  function dropping(params: Readonly<Record<string, unknown>> = {}) {
    const world = startWorld()
    enable(world, 'DROP', { drop_percent: 100, ...params })
    const context = contextOf(world)
    const { link } = must(context.plan.pmus[0])
    const message = datagram(context, 0, Uint8Array.of(1), {
      protocol: 'C37.118',
      link,
      purpose: 'reporting',
    })
    return { world, context, message }
  }

  it('counts each message of a targeted link, and drops those of the schedule', () => {
    const { world, context, message } = dropping({ schedule: { start_frame: 1, duration_frames: 2 } })
    const outcomes = [1, 2, 3, 4].map(() => passAttackers(context, message).outcome)
    expect(outcomes).toEqual(['clean', 'dropped', 'dropped', 'clean'])
    expect(world.attacks[0]?.counters).toEqual({ total_packets: 4, modified_packets: 0, dropped_packets: 2 })
  })

  it('does not touch messages of another protocol, nor those that an attack forged', () => {
    const { world, context, message } = dropping()
    expect(passAttackers(context, { ...message, protocol: 'DNP3' }).outcome).toBe('clean')
    const forged = { attackId: 'OTHER-9', description: 'Forged' }
    expect(passAttackers(context, { ...message, forged })).toMatchObject({
      outcome: 'clean',
      payload: message.payload,
    })
    expect(world.attacks[0]?.counters).toEqual(none)
  })

  it('counts what an attack forges as modified by it', () => {
    const { world, context, message } = dropping()
    const forged = { attackId: must(world.attacks[0]).order.attack_id, description: 'Forged command' }
    expect(passAttackers(context, { ...message, forged })).toMatchObject({
      outcome: 'attacked',
      description: 'Forged command',
      attack: { order: { type: 'DROP' } },
    })
    expect(world.attacks[0]?.counters).toEqual({ ...none, total_packets: 1, modified_packets: 1 })
  })

  it("counts an answer on an attacker's connection as modified by the attack, and names its sender", () => {
    const { world, context } = dropping()
    const label = { attack_id: 'DROP-1', attack_type: 'DROP', technique: null, changes: [] }
    openConnection(context, newConnection(label), context.startUs)
    const answer = onConnection(context, 'server', 9, Uint8Array.of(1))
    expect(passAttackers(context, answer)).toMatchObject({
      outcome: 'attacked',
      description: 'answer of A to DROP',
      attack: { order: { attack_id: 'DROP-1' } },
    })
    expect(world.attacks[0]?.counters).toEqual({ ...none, total_packets: 1, modified_packets: 1 })
  })
})

describe('endedAttack()', () => {
  it('knows the type from the name, and has done nothing', () => {
    const message = datagram(contextOf(), 7, Uint8Array.of(1))
    const held = travelling(
      message,
      { payload: message.payload, outcome: 'held', delayUs: 5, attack: null, description: 'Held' },
      { numbers: { identification: 1, sequence: 0, acknowledgment: 0 } },
    )
    const state = endedAttack({ ...held, attackId: 'GOOSE_TRIP_SPOOF-12' })
    expect(state).toMatchObject({
      order: { attack_id: 'GOOSE_TRIP_SPOOF-12', type: 'GOOSE_TRIP_SPOOF' },
      sinceUs: message.timeUs,
      counters: none,
    })
    expect(toMessage(held).timeUs).toBe(message.timeUs)
  })
})
