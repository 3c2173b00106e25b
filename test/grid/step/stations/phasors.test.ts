/** Phasor units and their concentrator: when frames leave, and what arrives of them. */

import { describe, expect, it } from 'vitest'
import { encodeHex } from '#base/hex.ts'
import { newTransit, sendSegment } from '#grid/link/tcp-transit.ts'
import { type C37118Frame, decodeC37118, fromC37118Time } from '#grid/protocols/c37118.ts'
import { toPolar } from '#grid/protocols/c37118-data.ts'
import { phasorStation } from '#grid/step/stations/phasors.ts'
import type { StepContext } from '#grid/step/step-context.ts'
import type { Travelling, World } from '#grid/step/world.ts'
import type { Message } from '#grid/telecontrol/message.ts'
import { contextOf } from '#test/support/grid-context.ts'
import { runSteps, startTime, startWorld } from '#test/support/grid-session.ts'
import { must, mustDecode } from '#test/support/must.ts'

/** PMU-4 of case14 reports over TCP, the others over UDP. */
const overTcp = 'PMU-4'

/** One step in which only the units act. */
function pollOnce(world: World = startWorld()): StepContext {
  const context = contextOf(world)
  phasorStation.poll(context)
  world.step += 1
  return context
}

function frameOf(context: StepContext, { payload, link }: Message): C37118Frame {
  return mustDecode(decodeC37118(payload, context.configurationOf(link)))
}

/** The queue of a unit: kinds of messages with microseconds after the step's start. */
function kinds(context: StepContext, node: string): readonly string[] {
  return context.queue
    .filter(({ srcNode }) => srcNode === node)
    .map((message) => `${frameOf(context, message).kind} +${message.timeUs - context.startUs}`)
}

describe('poll()', () => {
  it.each([0, 1, 59, 4_102_444_800])('sends the configuration once in a session that begins at %d', (second) => {
    const world = startWorld({ start_time: second })
    const sent = [pollOnce(world), pollOnce(world), pollOnce(world)].flatMap((context) =>
      kinds(context, 'PMU-1').filter((kind) => kind.startsWith('configuration')),
    )
    expect(sent).toHaveLength(1)
  })

  it('sends the configuration of every unit over UDP first, each 130 us after the one before, then its data', () => {
    const context = pollOnce()
    for (const [index, { node, carrier }] of context.plan.pmus.entries()) {
      if (carrier === 'tcp') continue
      const spreadUs = index * 130
      const [configuration, data = ''] = kinds(context, node)
      expect(configuration).toBe(`configuration_2 +${1_000 + spreadUs}`)
      // A unit is up to 2 ms late.
      expect(Math.abs(Number(data.replace('data +', '')) - 3_000 - spreadUs)).toBeLessThanOrEqual(1_000)
    }
  })

  it('sends the configuration again after a minute, and not before', () => {
    const world = startWorld()
    const steps = []
    for (let step = 0; step <= 1_201; step++) {
      if (step !== 0 && step !== 600 && step !== 1_200 && step % 100 !== 99) {
        world.step += 1
        continue
      }
      const context = pollOnce(world)
      if (kinds(context, 'PMU-1').some((kind) => kind.startsWith('configuration'))) steps.push(step)
    }
    expect(steps).toEqual([0, 600, 1_200])
  })

  it.each([1, 2, 5, 10, 15, 30] as const)('measures at whole fractions of a second, %d times in each', (rate) => {
    const world = startWorld({ pmu_rate: rate })
    const measured = []
    for (let step = 0; step < 20; step++) {
      const context = pollOnce(world)
      for (const message of context.queue.filter(({ srcNode }) => srcNode === 'PMU-1')) {
        const frame = frameOf(context, message)
        if (frame.kind === 'data') measured.push(fromC37118Time(frame.time) - startTime * 1e6)
      }
    }
    expect(measured).toEqual(Array.from({ length: 2 * rate }, (_, count) => Math.floor((count * 1e6) / rate)))
  })

  it('asks for the configuration on the connection of a unit over TCP, and the unit sends nothing before', () => {
    const context = pollOnce()
    const [command] = context.queue.filter(({ dstNode }) => dstNode === overTcp)
    expect(command).toMatchObject({
      srcNode: 'PDC',
      timeUs: context.startUs + 2_290,
      purpose: 'link',
      carrier: { kind: 'tcp', connection: `${overTcp}--PDC#pdc`, side: 'client' },
    })
    // SYNC of a command, 18 octets, stream 4, the second, the fraction, command 5 (IEEE C37.118.2 table 15).
    expect(encodeHex(must(command).payload).slice(0, 32)).toBe(`aa4100120004${startTime.toString(16)}000008f20005`)
    expect(kinds(context, overTcp)).toEqual([])
    expect(context.queue.filter(({ srcNode }) => srcNode === 'PDC')).toHaveLength(1)
    expect(must(context.queue.find(({ srcNode }) => srcNode === 'PMU-1')).carrier).toMatchObject({
      kind: 'udp',
      from: { port: 4713 },
      to: { ip: '10.20.0.20', port: 4713 },
    })
  })

  it('replaces a connection on which data has been missing for ten seconds of running time', () => {
    const world = startWorld()
    pollOnce(world)
    const id = `${overTcp}--PDC#pdc`
    const connection = must(world.connections[id])
    const sentUs = startTime * 1e6
    // Only the moment at which the oldest segment was sent matters here.
    const segment = { sequence: 0, length: 1, sentUs, body: {} as Travelling }
    connection.transit = { server: sendSegment(newTransit<Travelling>(0), segment) }
    world.step = 100
    pollOnce(world)
    expect(world.connections[id]).toBe(connection)
    world.view.liveUs = sentUs + 100_000
    world.step = 101
    pollOnce(world)
    expect(world.connections[id]).toBe(connection)
    world.view.liveUs = 0
    world.step = 102
    const context = pollOnce(world)
    expect(world.connections[id]).not.toBe(connection)
    // The new connection begins with the command.
    expect(context.queue.filter(({ dstNode }) => dstNode === overTcp)).toHaveLength(1)
    expect(kinds(context, overTcp)).toEqual([])
  })

  it('asks a unit over TCP each minute, and each ten seconds while it sends no data', () => {
    const asked = (world: World) =>
      Array.from({ length: 1_300 }, (_, step) => {
        world.step = step
        return pollOnce(world).queue.some(({ dstNode }) => dstNode === overTcp) ? [step] : []
      }).flat()
    expect(asked(startWorld())).toEqual(Array.from({ length: 13 }, (_, count) => count * 100))
    const world = startWorld()
    pollOnce(world)
    must(world.connections[`${overTcp}--PDC#pdc`]).dialogue = { protocol: 'C37.118', isSending: true }
    expect(asked(world)).toEqual([600, 1_200])
  })
})

describe('a connection of the concentrator', () => {
  it('carries the command for the configuration, the configuration, the command for data, and then data', () => {
    const { frames } = runSteps(startWorld(), 8)
    const sent = frames.filter(({ protocol, flow }) => protocol === 'C37.118' && flow.includes(':4712'))
    const configurations = contextOf().configurationOf(`${overTcp}--PDC`)
    const read = sent.map(({ bytes, payloadLength }) =>
      mustDecode(decodeC37118(bytes.subarray(54, 54 + payloadLength), configurations)),
    )
    expect(read.map((frame) => (frame.kind === 'command' ? frame.command : frame.kind))).toEqual([
      ...['send_configuration_2', 'configuration_2', 'data_on'],
      ...['data', 'data', 'data'],
    ])
    // A step of 100 ms; the unit reports each 200 ms.
    const times = sent.map(({ timeUs }) => timeUs)
    expect(must(times[2]) - must(times[0])).toBeLessThan(10_000)
    expect(must(times[3]) - startTime * 1e6).toBeGreaterThan(200_000)
  })

  it('asks again after ten seconds where an attacker broke the first command, and has data then', () => {
    const world = startWorld()
    pollOnce(world)
    // The command is lost with the step that was not flushed.
    const { frames } = runSteps(world, 110)
    const data = frames.filter(({ protocol, src }) => protocol === 'C37.118' && src === '10.20.2.4:4712')
    expect(must(data[0]).timeUs - startTime * 1e6).toBeGreaterThan(10_000_000)
    expect(data.length).toBeGreaterThan(2)
  })
})

describe('receive()', () => {
  /** The first data frame of a unit, on its way to the concentrator. */
  function dataOf(node: string) {
    const context = pollOnce()
    const message = must(context.queue.findLast(({ srcNode }) => srcNode === node))
    return { context, message }
  }

  it('takes per unit, radians and times into the view, with the octets between time stamp and checksum', () => {
    const { context, message } = dataOf('PMU-1')
    phasorStation.receive(context, message, message.payload)
    const frame = frameOf(context, message)
    if (frame.kind !== 'data') throw new Error(`PMU-1 sent ${frame.kind}`)
    const unit = must(frame.pmus[0])
    const hex = encodeHex(message.payload)
    expect(context.world.view.phasors['PMU-1']).toEqual({
      measuredUs: context.startUs,
      arrivedUs: message.timeUs,
      frequencyHz: unit.frequencyHz,
      rocofHzPerS: unit.rocofHzPerS,
      phasors: unit.phasors.map((phasor, index) => {
        const { magnitude, angle } = toPolar(phasor)
        return { magnitudePu: magnitude / (index === 0 ? 120 : 5), angleRad: angle }
      }),
      fingerprint: hex.slice(28, -4),
    })
  })

  it('takes nothing from configurations, from commands to a unit, and from octets with a wrong checksum', () => {
    const { context, message } = dataOf('PMU-1')
    const configuration = must(context.queue.find(({ srcNode }) => srcNode === 'PMU-1'))
    phasorStation.receive(context, configuration, configuration.payload)
    phasorStation.receive(context, { ...message, dstNode: 'PMU-2' }, message.payload)
    const broken = message.payload.slice()
    broken.set([(broken[20] ?? 0) ^ 1], 20)
    phasorStation.receive(context, message, broken)
    expect(context.world.view.phasors).toEqual({})
  })
})
