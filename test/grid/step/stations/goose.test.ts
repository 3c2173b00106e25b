/** Protection devices and bays: when they publish, with which counters, and which frames a bay obeys. */

import { describe, expect, it } from 'vitest'
import { decodeHex, encodeHex } from '#base/hex.ts'
import { operateBreaker } from '#grid/plant/plant.ts'
import { decodeGoose } from '#grid/protocols/goose.ts'
import { gooseFrame, gooseStation, publish } from '#grid/step/stations/goose.ts'
import type { StepContext } from '#grid/step/step-context.ts'
import { contextOf } from '#test/support/grid-context.ts'
import { startWorld } from '#test/support/grid-session.ts'
import { alarmsIn } from '#test/support/grid-stations.ts'
import { must, mustDecode } from '#test/support/must.ts'

/** The device at bus 2, with the breakers of branches 3, 4 and 5. */
const nodeName = 'IED-2'

function iedIn({ plan }: StepContext) {
  return must(plan.ieds.find(({ node }) => node === nodeName))
}

/** Opens the step after `steps` others in which every device has published. */
function publishing(steps: number, world = startWorld()) {
  for (let count = 0; count < steps; count++) {
    gooseStation.poll(contextOf(world))
    world.step += 1
  }
  return contextOf(world)
}

/** The queue of a device: microseconds after the step's start, counters and trip bits. */
function published({ queue, startUs }: StepContext, node = nodeName) {
  return queue
    .filter(({ srcNode }) => srcNode === node)
    .map(({ timeUs, payload }) => {
      const { pdu } = mustDecode(decodeGoose(payload))
      const trips = pdu.entries.map((entry) => (entry.kind === 'boolean' && entry.value ? 1 : 0))
      return { afterUs: timeUs - startUs, state: pdu.stateNumber, sequence: pdu.sequenceNumber, trips }
    })
}

describe('poll()', () => {
  it('spreads the first messages of all devices evenly over one heartbeat', () => {
    const world = startWorld({ heartbeat_s: 2 })
    const first = new Map<string, number>()
    for (let step = 0; step < 20; step++) {
      const context = contextOf(world)
      gooseStation.poll(context)
      for (const { srcNode, timeUs } of context.queue) {
        if (!first.has(srcNode)) first.set(srcNode, timeUs - world.clock.timeUs)
      }
      world.step += 1
    }
    const { ieds } = contextOf(world).plan
    for (const [index, { node }] of ieds.entries()) {
      const lateUs = (first.get(node) ?? Number.NaN) - Math.floor((index * 2_000_000) / ieds.length)
      expect(lateUs).toBeGreaterThanOrEqual(0)
      expect(lateUs).toBeLessThan(2_000)
    }
  })

  it('repeats an unchanged message once in a heartbeat, and counts only its sequence', () => {
    const world = startWorld({ heartbeat_s: 2 })
    const sent = []
    for (let step = 0; step < 60; step++) {
      const context = contextOf(world)
      gooseStation.poll(context)
      sent.push(...published(context).map(({ state, sequence }) => [state, sequence]))
      world.step += 1
    }
    expect(sent).toEqual([
      [1, 20],
      [1, 21],
      [1, 22],
    ])
  })

  it('publishes a trip 1 ms into the step as a new state, and repeats it after 4, 8, 16 and 32 ms', () => {
    const context = publishing(5)
    context.trips.push(4)
    gooseStation.poll(context)
    expect(published(context)).toEqual(
      [1_000, 5_000, 13_000, 29_000, 61_000].map((afterUs, sequence) => ({
        afterUs,
        state: 2,
        sequence,
        trips: [0, 1, 0],
      })),
    )
    // The next repetition, 64 ms later, belongs to the next step.
    expect(context.world.goose[nodeName]?.nextUs).toBe(context.startUs + 125_000)
  })

  it('keeps a trip while its breaker is open, and takes it back when the breaker is closed again', () => {
    const world = startWorld()
    const context = publishing(5, world)
    context.trips.push(4)
    gooseStation.poll(context)
    operateBreaker(world.plant, 4, false)
    world.step += 1
    const later = contextOf(world)
    gooseStation.poll(later)
    expect(published(later)).toEqual([{ afterUs: 25_000, state: 2, sequence: 5, trips: [0, 1, 0] }])
    operateBreaker(world.plant, 4, true)
    world.step += 1
    const closed = contextOf(world)
    gooseStation.poll(closed)
    expect(published(closed)[0]).toEqual({ afterUs: 1_000, state: 3, sequence: 0, trips: [0, 0, 0] })
  })
})

describe('gooseFrame()', () => {
  it('writes the octets of IEC 61850-8-1 annexes A and C', () => {
    const context = contextOf()
    const ied = iedIn(context)
    const counters = { stateNumber: 300, sequenceNumber: 7 }
    const frame = gooseFrame(context, ied, {
      publisher: counters,
      trips: [true, false, true],
      changedUs: context.startUs + 500_000,
    })
    const text = (value: string) => encodeHex(new TextEncoder().encode(value))
    const pdu = [
      `8017${text('IED2LD0/LLN0$GO$gcbTrip')}`,
      // Two heartbeats of 2 s to live.
      '81020fa0',
      `8213${text('IED2LD0/LLN0$dsTrip')}`,
      `8305${text('IED-2')}`,
      // Unix second 1,764,000,000 and a half, accurate to ten bits.
      '8408' + '69248100' + '800000' + '0a',
      // stNum 300, sqNum 7, no simulation, revision 1, no commissioning, three booleans.
      '8502012c' + '860107' + '870100' + '880101' + '890100' + '8a0103',
      'ab09' + '830101' + '830100' + '830101',
    ].join('')
    const hex = encodeHex(frame)
    // Destination, source, tag with priority 4, EtherType, APPID 2.
    expect(hex.slice(0, 40)).toBe('010ccd010002' + '02005e030002' + '81008000' + '88b8' + '0002')
    expect(hex.slice(-pdu.length)).toBe(pdu)
  })
})

describe('publish()', () => {
  it('sends a frame from a device to its bay, as a command over Ethernet', () => {
    const context = contextOf()
    const forged = { attackId: 'GOOSE-1', description: 'Forged' }
    const payload = decodeHex('0102')
    publish(context, iedIn(context), { payload, timeUs: context.startUs + 3, forged })
    expect(context.queue).toEqual([
      {
        protocol: 'GOOSE',
        link: 'IED-2--BAY-2',
        carrier: { kind: 'ethernet' },
        srcNode: 'IED-2',
        dstNode: 'BAY-2',
        timeUs: context.startUs + 3,
        payload,
        purpose: 'command',
        forged,
      },
    ])
  })
})

describe('receive()', () => {
  /** Lets the bay take in frames with these counters and trip bits, one after another. */
  function take(context: StepContext, frames: readonly (readonly [state: number, sequence: number, trips: string])[]) {
    const ied = iedIn(context)
    for (const [stateNumber, sequenceNumber, bits] of frames) {
      const trips = Array.from(bits, (bit) => bit === '1')
      const payload = gooseFrame(context, ied, {
        publisher: { stateNumber, sequenceNumber },
        trips,
        changedUs: context.startUs,
      })
      publish(context, ied, { payload, timeUs: context.startUs + 9, forged: null })
      gooseStation.receive(context, must(context.queue.at(-1)), payload)
    }
    return { open: [...context.world.plant.open], alarms: alarmsIn(context) }
  }

  it('opens the breakers whose bits a new state sets', () => {
    const context = publishing(1)
    const { open, alarms } = take(context, [[2, 0, '011']])
    expect([[...open].sort(), alarms]).toEqual([[4, 5], []])
    expect(context.effects.map(({ cause }) => cause)).toEqual(Array(2).fill('GOOSE trip of IED-2'))
    expect(context.switched.map(({ timeUs }) => timeUs - context.startUs)).toEqual([9, 9])
  })

  it('obeys only a change of state: a repetition with other bits opens nothing', () => {
    expect(
      take(publishing(1), [
        [1, 20, '000'],
        [1, 21, '111'],
        [1, 30, '111'],
      ]),
    ).toEqual({ open: [], alarms: [] })
  })

  it('reports an old state as a second publisher, and neither obeys nor accepts it', () => {
    const context = publishing(1)
    const { open, alarms } = take(context, [
      [5, 0, '000'],
      [4, 0, '111'],
    ])
    expect([open, alarms]).toEqual([[], ['sequence IED-2']])
    expect(context.world.view.alarms[0]?.text).toBe('stNum 4 after 5: two publishers')
    expect(context.world.goose[nodeName]?.accepted).toEqual({ stateNumber: 5, sequenceNumber: 0 })
  })

  it('ignores octets that it cannot read, and publishers that it does not know', () => {
    const context = publishing(1)
    const ied = iedIn(context)
    const trips = [true, true, true]
    const payload = gooseFrame(context, ied, { publisher: { stateNumber: 9, sequenceNumber: 0 }, trips, changedUs: 0 })
    publish(context, ied, { payload, timeUs: context.startUs, forged: null })
    const message = must(context.queue.at(-1))
    gooseStation.receive(context, message, payload.slice(0, -1))
    const stranger = { ...ied, controlBlock: 'IED2LD0/LLN0$GO$other' }
    const unknown = gooseFrame(context, stranger, {
      publisher: { stateNumber: 9, sequenceNumber: 0 },
      trips,
      changedUs: 0,
    })
    gooseStation.receive(context, message, unknown)
    expect(context.world.plant.open).toEqual([])
    // Before its device has published, a bay listens to no control block.
    const early = contextOf()
    gooseStation.receive(early, message, payload)
    expect(early.world.plant.open).toEqual([])
  })
})
