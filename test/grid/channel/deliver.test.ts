/** The way of messages: in the order of time, past every attacker, into frames and to receivers, nothing twice. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeHex, encodeHex } from '#base/hex.ts'
import { type Channel, deliverTo, flush, receiveSegment, resend } from '#grid/channel/deliver.ts'
import { captureFrames } from '#grid/export/capture.ts'
import { decodeFrame } from '#grid/link/frame.ts'
import { identifyFrame } from '#grid/protocols/identify.ts'
import { showIncident } from '#grid/records/evidence.ts'
import { openConnection } from '#grid/step/connections.ts'
import { phasorStation } from '#grid/step/stations/phasors.ts'
import { type StepContext, send } from '#grid/step/step-context.ts'
import type { Outcome } from '#grid/step/world.ts'
import type { Message } from '#grid/telecontrol/message.ts'
import { measurementOf } from '../../support/attack-session.ts'
import { inFlight, openChannel } from '../../support/grid-channel.ts'
import { contextOf, datagram, newConnection, onConnection } from '../../support/grid-context.ts'
import { calmStretch, enable, runSteps } from '../../support/grid-session.ts'

/** A session in which every unit has told its configuration, with attacks enabled by type and parameters. */
function attacked(...attacks: readonly (readonly [type: string, params: Record<string, unknown>])[]) {
  const { world } = calmStretch(22, { load_speed: 0 })
  for (const [type, params] of attacks) enable(world, type, params)
  return world
}

/** Sends what the phasor units have to say in the next step, and tells what arrived. */
function phasorsThrough(world = attacked()) {
  const context = contextOf(world)
  phasorStation.poll(context)
  const sent = [...context.queue]
  expect(sent.length).toBeGreaterThan(2)
  const arrived: { message: Message; payload: Uint8Array }[] = []
  flush(context, (_, message, payload) => void arrived.push({ message, payload }))
  return { world, context, sent, arrived }
}

const byte = (value: number) => Uint8Array.of(value)

describe('flush()', () => {
  it('delivers every message once, in the order of time, equal times in the order of sending', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 15 }), (times) => {
        const context = contextOf()
        for (const [index, afterUs] of times.entries()) send(context, datagram(context, afterUs, byte(index)))
        const heard: number[] = []
        flush(context, (_, __, payload) => void heard.push(payload[0] ?? -1))
        const expected = times
          .map((afterUs, index) => ({ afterUs, index }))
          .sort((a, b) => a.afterUs - b.afterUs || a.index - b.index)
        expect(heard).toEqual(expected.map(({ index }) => index))
        expect(context.queue).toEqual([])
        expect(context.world.totals).toEqual({ total_packets: times.length, modified_packets: 0, dropped_packets: 0 })
      }),
      { seed: 61 },
    )
  })

  it('writes a frame of each message that holds its octets, its ends and its moment', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { maxLength: 6 }), (payloads) => {
        const context = contextOf()
        for (const [index, payload] of payloads.entries()) send(context, datagram(context, index, payload))
        flush(context, () => undefined)
        expect(context.drafts).toHaveLength(payloads.length)
        context.drafts.forEach((draft, index) => {
          const { src, dst } = draft
          const payload = payloads[index]
          expect(identifyFrame(draft.bytes)).toMatchObject({ src, dst, payload })
          expect(draft).toMatchObject({
            timeUs: context.startUs + index,
            status: 'clean',
            tap: 'after',
            label: null,
            isMessage: true,
            payloadLength: payload?.length,
            latencyMs: 0,
          })
        })
      }),
      { seed: 62 },
    )
  })

  it('sends what is answered in the same step, and what is answered to that', () => {
    const context = contextOf()
    send(context, datagram(context, 0, byte(3)))
    send(context, datagram(context, 50, byte(100)))
    const heard: number[] = []
    flush(context, (inside, { timeUs }, payload) => {
      const value = payload[0] ?? 0
      heard.push(value)
      if (value > 0 && value < 10) send(inside, datagram(inside, timeUs - inside.startUs + 20, byte(value - 1)))
    })
    expect(heard).toEqual([3, 2, 1, 100, 0])
  })

  it('sends nothing on a connection that is not open, and does not count it', () => {
    const context = contextOf()
    context.world.connections['a-b#1'] = newConnection()
    send(context, onConnection(context, 'client', 0, byte(1)))
    send(context, onConnection(context, 'client', 0, byte(1), 'no such connection'))
    flush(context, () => expect.unreachable())
    expect([context.drafts, context.world.totals.total_packets]).toEqual([[], 0])
  })

  it('acknowledges once what gets no answer on a connection', () => {
    const context = contextOf()
    openConnection(context, newConnection(), context.startUs)
    context.drafts.length = 0
    send(context, onConnection(context, 'client', 1_000, byte(1)))
    flush(context, () => undefined)
    expect(context.drafts.map(({ isMessage, timeUs }) => [isMessage, timeUs - context.startUs])).toEqual([
      [true, 1_000],
      [false, 20_840],
    ])
  })
})

describe('flush() past attackers', () => {
  it('keeps what is dropped from its receiver, and records it only before the attacker', () => {
    const { context, sent, arrived, world } = phasorsThrough(attacked(['DROP', { drop_percent: 100 }]))
    expect(arrived).toEqual([])
    expect(context.drafts.map(({ status, tap, isMessage }) => [status, tap, isMessage])).toEqual(
      sent.map(() => ['dropped', 'before', true]),
    )
    expect(world.attacks[0]?.counters).toEqual({
      total_packets: sent.length,
      modified_packets: 0,
      dropped_packets: sent.length,
    })
  })

  it('lets the receiver have what the attacker made of it, and shows both forms in order', () => {
    const { context, sent, arrived } = phasorsThrough(attacked(['SCALE', { scale_factor: 2 }]))
    expect(arrived.map(({ payload }) => encodeHex(payload))).not.toEqual(sent.map(({ payload }) => encodeHex(payload)))
    const forms = context.drafts.filter(({ payloadLength }) => payloadLength > 0)
    expect(forms.map(({ tap, isMessage, status }) => `${tap} ${isMessage} ${status}`)).toEqual(
      sent.flatMap(() => ['before false attacked', 'after true attacked']),
    )
    forms.forEach(({ bytes, tap }, index) => {
      const of = Math.floor(index / 2)
      const expected = tap === 'before' ? sent[of]?.payload : arrived[of]?.payload
      expect(identifyFrame(bytes)?.payload).toEqual(expected)
    })
  })

  it('leads a message past several attackers in the order in which they were enabled', () => {
    const override: [string, Record<string, unknown>] = ['MAGNITUDE_OVERRIDE', { phasor_idx: 0, value: 100 }]
    const scale: [string, Record<string, unknown>] = ['SCALE', { scale_factor: 2 }]
    const magnitude = (first: typeof scale, second: typeof scale) => {
      const { context, world } = phasorsThrough(attacked(first, second))
      const record = context.close().frames.find(({ tap, payloadLength }) => tap === 'after' && payloadLength > 0)
      if (record === undefined) throw new Error('nothing arrived')
      return measurementOf(world, record).phasors[0]?.magnitude
    }
    expect(magnitude(override, scale)).toBe(200)
    expect(magnitude(scale, override)).toBe(100)
  })

  it('skips the attackers behind one that dropped the message', () => {
    const { world, sent } = phasorsThrough(attacked(['DROP', { drop_percent: 100 }], ['SCALE', {}]))
    expect(world.attacks.map(({ counters }) => counters.total_packets)).toEqual([sent.length, 0])
  })

  it('holds what is delayed until it is due, in its order, with the time that it took', () => {
    const world = attacked(['DELAY', { delay_ms: 250 }])
    const { sent, arrived, context } = phasorsThrough(world)
    expect(arrived).toEqual([])
    expect(context.drafts.map(({ tap, isMessage }) => [tap, isMessage])).toEqual(sent.map(() => ['before', false]))
    expect(world.held).toHaveLength(sent.length)
    const late: Message[] = []
    const drafts: StepContext['drafts'] = []
    for (let steps = 0; steps < 3; steps++) {
      world.step += 1
      const next = contextOf(world)
      flush(next, (_, message) => void late.push(message))
      drafts.push(...next.drafts.filter(({ isMessage }) => isMessage))
    }
    expect(late.map(({ timeUs }) => timeUs)).toEqual(sent.map(({ timeUs }) => timeUs + 250_000))
    expect(late.map(({ link }) => link)).toEqual(sent.map(({ link }) => link))
    expect(drafts.map(({ latencyMs, tap }) => [latencyMs, tap])).toEqual(sent.map(() => [250, 'after']))
    // The unit that reports over TCP had sent its frame again by then.
    expect(world.held.map(({ link, isAgain }) => [link, isAgain])).toEqual([['PMU-4--PDC', true]])
  })

  it('shifts the numbers behind an attacker who shortens a message, and keeps both sides whole', () => {
    const { world } = calmStretch(22, { load_speed: 0 })
    enable(world, 'MALFORMED', { protocol: 'Modbus', kind: 'truncated', rate_percent: 60 })
    const { frames } = runSteps(world, 60)
    const taps = { before: new Map<string, number>(), after: new Map<string, number>() }
    let altered = 0
    for (const { record, tap, bytes } of captureFrames(frames, new Map())) {
      const decoded = decodeFrame(bytes)
      if (record === undefined || !decoded.ok || decoded.value.carrier !== 'tcp') continue
      const { sequence, acknowledgment, payload, control } = decoded.value.segment
      const next = taps[tap]
      // What one side sends acknowledges what it got, and that is what the other sent as it left the attacker.
      const got = taps[tap === 'before' ? 'after' : 'before']
      if (record.status === 'invalid') altered += 1
      if (!control.includes('syn')) {
        expect(sequence).toBe(next.get(record.src) ?? sequence)
        if (got.has(record.dst)) expect(acknowledgment).toBe(got.get(record.dst))
      }
      const counted = payload.length + (control.includes('syn') || control.includes('fin') ? 1 : 0)
      next.set(record.src, (sequence + counted) % 2 ** 32)
    }
    expect(altered).toBeGreaterThan(10)
  })

  it("passes a forged message by the attackers, and counts it as its forger's", () => {
    const world = attacked(['DROP', { drop_percent: 100 }], ['SCALE', {}])
    const context = contextOf(world)
    phasorStation.poll(context)
    const honest = context.queue.splice(0)[0]
    if (honest === undefined) throw new Error('no unit reports in this step')
    send(context, { ...honest, forged: { attackId: 'SCALE-2', description: 'made up' } })
    let heard = 0
    flush(context, () => void heard++)
    expect(heard).toBe(1)
    expect(world.attacks.map(({ counters }) => counters)).toEqual([
      { total_packets: 0, modified_packets: 0, dropped_packets: 0 },
      { total_packets: 1, modified_packets: 1, dropped_packets: 0 },
    ])
    const { incidents } = context.close()
    expect(incidents[0]).toMatchObject({ status: 'attacked', attack_type: 'SCALE', description: 'made up' })
    const shown = incidents.map(showIncident)
    expect(shown[0]).not.toHaveProperty('original_val')
    expect(shown[0]?.modified_val).toMatchObject({ kind: 'data' })
  })

  it('records the effects of an attacked message on the grid, and none of an honest one', () => {
    const impact = (world: ReturnType<typeof attacked>) => {
      const context = contextOf(world)
      phasorStation.poll(context)
      flush(context, (inside) => void inside.effects.push({ breaker: 'CB-1-2', to: 'open' }))
      return context.close().incidents.map((incident) => [incident.severity, incident.impact])
    }
    const honest = impact(attacked())
    expect(honest.length).toBeGreaterThan(0)
    expect(honest).toEqual(honest.map(() => ['INFO', undefined]))
    const felt = impact(attacked(['SCALE', { scale_factor: 2 }]))
    expect(felt).toEqual(felt.map(() => ['HIGH', { effects: [{ breaker: 'CB-1-2', to: 'open' }] }]))
  })

  it('makes no incident of messages that an attack left unchanged', () => {
    const { context, world, sent } = phasorsThrough(attacked(['SCALE', { scale_factor: 1 }]))
    const messages = context.drafts.filter(({ isMessage }) => isMessage)
    expect(messages.map(({ status, label }) => [status, label])).toEqual(sent.map(() => ['clean', null]))
    expect(world.attacks[0]?.counters).toMatchObject({ total_packets: sent.length, modified_packets: 0 })
  })
})

describe('receiveSegment()', () => {
  it('hands on what is complete, in the order of sending, and acknowledges it', () => {
    const { channel, connection, received, send } = openChannel()
    const sequences = [send(0, 0xa1, 'held'), send(1, 0xa2, 'held'), send(2, 0xa3)]
    const arrive = (index: number, afterUs: number) => {
      const timeUs = channel.startUs + afterUs
      const sequence = sequences[index] ?? 0
      receiveSegment(channel, { connection, side: 'client', sequence, timeUs })
    }
    const drafts = channel.drafts.length
    arrive(2, 10)
    arrive(1, 20)
    expect([received, inFlight(connection)]).toEqual([[], sequences])
    arrive(0, 30)
    expect([received, inFlight(connection)]).toEqual([['a1', 'a2', 'a3'], []])
    expect(connection.flow.received).toEqual({})
    // Two acknowledgments that repeat the last number, and one of everything.
    expect(channel.drafts.slice(drafts).map(({ payloadLength }) => payloadLength)).toEqual([0, 0, 0])
    arrive(1, 40)
    expect(received).toEqual(['a1', 'a2', 'a3'])
  })

  it('sends the oldest segment again at the third acknowledgment that repeats, before its timer', () => {
    const { channel, connection, received, send } = openChannel()
    send(0, 0xa1, 'dropped')
    const later = [send(1, 0xa2), send(2, 0xa3), send(3, 0xa4)]
    for (const [index, sequence] of later.entries()) {
      expect(received).toEqual([])
      const timeUs = channel.startUs + 10 + index
      receiveSegment(channel, { connection, side: 'client', sequence, timeUs })
    }
    expect(received).toEqual(['a1', 'a2', 'a3', 'a4'])
  })

  it('does nothing on a connection where nothing is missing', () => {
    const { channel, connection, received } = openChannel()
    const drafts = channel.drafts.length
    receiveSegment(channel, { connection, side: 'server', sequence: 5, timeUs: channel.startUs })
    expect([received, channel.drafts.length]).toEqual([[], drafts])
  })
})

describe('resend()', () => {
  it('delivers what is sent again, as it was sent, once the attack is over', () => {
    const { channel, connection, received, send } = openChannel()
    send(0, 0xa1, 'dropped')
    send(1, 0xa2)
    const timeUs = channel.startUs + 90_000
    resend(channel, { connection, side: 'client', timeUs }, 'timeout')
    expect(received).toEqual(['a1'])
    // The wait stays doubled until a segment is acknowledged at its first try (RFC 6298 section 5.7).
    expect(connection.transit?.client?.backoff).toBe(1)
    expect(inFlight(connection)).toHaveLength(1)
  })

  it('sends nothing where nothing is in flight', () => {
    const { channel, connection, received } = openChannel()
    const drafts = channel.drafts.length
    resend(channel, { connection, side: 'client', timeUs: channel.startUs }, 'timeout')
    expect([received, channel.drafts.length]).toEqual([[], drafts])
  })
})

/** Modbus, section 6.1 of the specification: a client reads 19 coils from 0x13 of unit 1. */
const readable = decodeHex('000900000006' + '01' + '0100130013')

/** Hands octets over as a request, and gives what the receiver took and what the control centre reported. */
function hand(payload: Uint8Array, outcome: Outcome) {
  const taken: unknown[] = []
  const channel: Channel = { ...contextOf(), receive: (...args) => void taken.push(args) }
  const carrier = { kind: 'tcp', connection: 'a-b#1', side: 'client' } as const
  const message = datagram(channel, 0, readable, { protocol: 'Modbus', carrier })
  deliverTo(channel, message, payload, outcome)
  return { channel, message, taken, alarms: channel.world.view.alarms }
}

describe('deliverTo()', () => {
  it.each(['clean', 'attacked', 'held', 'dropped'] as const)(
    'gives octets of a message that is %s to its receiver, as they arrived',
    (outcome) => {
      const payload = readable.slice(0, 5)
      const { channel, message, taken, alarms } = hand(payload, outcome)
      expect(taken).toEqual([[channel, message, payload]])
      expect(alarms).toEqual([])
    },
  )

  it('reports octets that an attacker made unreadable, with their fault, and gives them to no receiver', () => {
    const { taken, alarms } = hand(readable.slice(0, 5), 'invalid')
    expect(taken).toEqual([])
    expect(alarms).toMatchObject([
      {
        detector: 'malformed',
        where: 'a-b',
        text: expect.stringContaining('(Modbus from A)'),
        evidence: { code: 'truncated' },
      },
    ])
  })

  it('reports nothing where the octets can be read after all, and gives them to no receiver', () => {
    const { taken, alarms } = hand(readable, 'invalid')
    expect([taken, alarms]).toEqual([[], []])
  })

  it('reads a request as a request: the same octets are not an answer', () => {
    const channel: Channel = { ...contextOf(), receive: () => undefined }
    const carrier = { kind: 'tcp', connection: 'a-b#1', side: 'server' } as const
    const message = datagram(channel, 0, readable, { protocol: 'Modbus', carrier })
    deliverTo(channel, message, readable, 'invalid')
    expect(channel.world.view.alarms).toMatchObject([{ detector: 'malformed' }])
  })
})
