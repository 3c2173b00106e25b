/** DNP3 stations: when the master polls, what both ends do with a message, and whom the control centre reports. */

import { describe, expect, it } from 'vitest'
import { decodeHex } from '#base/hex.ts'
import { decodeFrame } from '#grid/link/frame.ts'
import { decodeDnp3, encodeDnp3 } from '#grid/protocols/dnp3.ts'
import type { Dnp3Fragment } from '#grid/protocols/dnp3-fragment.ts'
import { decodeDnp3Link, encodeDnp3Link } from '#grid/protocols/dnp3-link.ts'
import type { Dnp3Dialogue } from '#grid/step/dialogue.ts'
import { dnp3Station } from '#grid/step/stations/dnp3.ts'
import type { Session } from '#grid/step/stations/session.ts'
import type { Connection } from '#grid/step/world.ts'
import { contextOf } from '#test/support/grid-context.ts'
import { runSteps, startWorld } from '#test/support/grid-session.ts'
import { alarmsIn, arriving, queued, rogueConnection, stationScene } from '#test/support/grid-stations.ts'
import { mustDecode } from '#test/support/must.ts'

const control = { isFirst: true, isFinal: true, confirm: false, unsolicited: false, sequence: 0 }
const poll = '056414c40b000100672fc0c0013c02063c03063c04063c01068a51'
const trip = { index: 1, code: 0x81, count: 1, onTimeMs: 100, offTimeMs: 100, status: 0 }

/** Lets one end of a connection send a fragment, and the other take it in. */
function exchange(
  scene: Session<Dnp3Dialogue>,
  side: 'client' | 'server',
  fragment: Omit<Dnp3Fragment, 'control'> & { readonly control?: Dnp3Fragment['control'] },
  connection: Connection = scene.connection,
): void {
  const [source, destination] = side === 'client' ? [1, 11] : [11, 1]
  const { bytes } = encodeDnp3({
    fromMaster: side === 'client',
    source,
    destination,
    transportSequence: 0,
    fragment: { control, ...fragment },
  })
  dnp3Station.receive(scene.context, arriving(scene, connection, side, bytes), bytes)
}

/** The fragments in the queue: sender and function. */
function fragments({ context }: Session<Dnp3Dialogue>) {
  return context.queue.map(({ srcNode, payload }) => {
    const { fragment } = mustDecode(decodeDnp3(payload))
    return `${srcNode} ${fragment.functionCode} ${fragment.control.sequence}`
  })
}

describe('poll()', () => {
  /** The messages of one scan to RTU-2, whose connection may be there already. */
  function scan(world = startWorld()) {
    for (let step = 0; step < 16; step++) {
      world.step = step
      const context = contextOf(world)
      dnp3Station.poll(context)
      const mine = queued({ ...context, queue: context.queue.filter(({ link }) => link === 'CC--RTU-2') })
      if (mine.length > 0) return { world, step, mine }
    }
    throw new Error('RTU-2 was not polled')
  }

  it('begins with a master that wants no reports yet, and only reads in later scans', () => {
    const { world, mine } = scan()
    expect(mine.map(({ hex }) => hex)).toEqual([expect.stringContaining('c0c0153c02063c03063c0406')])
    const later = scan(world).mine
    expect(later.map(({ hex }) => hex)).toEqual([expect.stringContaining('c1c1013c02063c03063c04063c0106')])
  })

  it('reads everything, wants reports, clears the restart and sets the clock, one request at a time', () => {
    const world = startWorld()
    const { frames } = runSteps(world, 20)
    const told = frames.flatMap((frame) => {
      const link = mustDecode(decodeFrame(frame.bytes))
      if (link.carrier !== 'tcp' || link.payload.length === 0 || !frame.flow.includes('10.20.1.2:20000')) return []
      const { fragment } = mustDecode(decodeDnp3(link.payload))
      const bits = fragment.indications === undefined ? '' : ` ${fragment.indications.toString(16)}`
      return [`${fragment.control.sequence} ${fragment.functionCode}${bits}`]
    })
    expect(told).toEqual([
      ...['0 disable_unsolicited', '0 response 90', '1 write', '1 response 10', '2 read', '2 response 10'],
      ...['3 enable_unsolicited', '3 response 10', '4 delay_measure', '4 response 10', '5 write', '5 response 0'],
    ])
    expect(world.outstations['RTU-2']).toMatchObject({ isRestarted: false, clockUs: expect.closeTo(0, -4) })
  })
})

describe('receive() at the outstation', () => {
  it('answers a request of its master 1.8 to 3.2 ms later, and reports nothing', () => {
    const scene = stationScene('DNP3', 'RTU-2')
    dnp3Station.receive(scene.context, arriving(scene, scene.connection, 'client', decodeHex(poll)), decodeHex(poll))
    expect(fragments(scene)).toEqual(['RTU-2 response 0'])
    const [answer] = queued(scene.context)
    expect(answer?.afterUs).toBeGreaterThanOrEqual(2_800)
    expect(answer?.afterUs).toBeLessThan(4_200)
    expect(alarmsIn(scene.context)).toEqual([])
  })

  it('answers frames of the link layer, and refuses what its application does not know', () => {
    const scene = stationScene('DNP3', 'RTU-2')
    const put = (functionCode: number, userData: readonly number[], destination = 11, isPrimary = true) => {
      const frame = { fromMaster: true, isPrimary, frameCount: false, frameCountValid: false, functionCode }
      const bytes = encodeDnp3Link({ ...frame, destination, source: 1, userData: Uint8Array.from(userData) })
      dnp3Station.receive(scene.context, arriving(scene, scene.connection, 'client', bytes), bytes)
    }
    const sent = () =>
      scene.context.queue.splice(0).map(({ payload }) => {
        const { frame } = mustDecode(decodeDnp3Link(payload))
        return [frame.functionCode, ...frame.userData.subarray(1)]
      })
    put(9, [])
    put(0, [])
    put(2, [])
    expect(sent()).toEqual(expect.arrayContaining([[11], [0]]))
    // Frames to all stations, and answers of the other end, get no answer.
    put(9, [], 0xffff)
    put(2, [], 0xfffd)
    put(0, [], 11, false)
    expect(sent()).toEqual([])
    // Assign class, and a read of group 110.
    put(4, [0xc0, 0xc3, 22])
    expect(sent()).toEqual([[4, 0xc3, 129, 0x90, 0x01]])
    put(4, [0xc0, 0xc4, 1, 110, 0, 6])
    expect(sent()).toEqual([[4, 0xc4, 129, 0x90, 0x02]])
    // A request in two frames, one for another station, and one for all, of which only the next response tells.
    put(4, [0x40, 0xc5, 1])
    expect(sent()).toEqual([])
    put(4, [0x81, 60, 2, 6])
    expect(sent()).toEqual([[4, 0xc5, 129, 0x90, 0]])
    put(4, [0xc0, 0xc6, 23], 12)
    put(4, [0xc0, 0xc6, 23], 0xffff)
    // A command without an answer, which cannot tell.
    put(4, [0xc0, 0xc6, 6])
    expect(sent()).toEqual([])
    for (const indications of [0x91, 0x90]) {
      put(4, [0xc0, 0xc7, 1, 60, 2, 6])
      expect(sent()).toEqual([[4, 0xc7, 129, indications, 0]])
    }
  })

  it('obeys a command of its master without an alarm', () => {
    const scene = stationScene('DNP3', 'RTU-2')
    exchange(scene, 'client', {
      functionCode: 'direct_operate',
      objects: [{ kind: 'control', qualifier: 'index8', points: [trip] }],
    })
    expect(scene.context.world.plant.open).toEqual([4])
    expect(alarmsIn(scene.context)).toEqual([])
  })

  it('reports a second master that reads, and an unknown writer that commands', () => {
    const scene = stationScene('DNP3', 'RTU-2')
    const rogue = rogueConnection(scene)
    exchange(scene, 'client', { functionCode: 'read', objects: [] }, rogue)
    expect(alarmsIn(scene.context)).toEqual(['second_master RTU-2'])
    exchange(scene, 'client', { functionCode: 'select', objects: [] }, rogue)
    expect(alarmsIn(scene.context)).toEqual(['second_master RTU-2', 'unknown_writer RTU-2'])
    expect(scene.context.world.view.alarms[1]?.evidence).toEqual({ host: '10.20.0.66', command: 'DNP3 select' })
  })

  it('ignores octets that it cannot read, and connections that are gone', () => {
    const scene = stationScene('DNP3', 'RTU-2')
    const broken = decodeHex(poll).slice(0, -1)
    dnp3Station.receive(scene.context, arriving(scene, scene.connection, 'client', broken), broken)
    delete scene.context.world.connections[scene.connection.id]
    exchange(scene, 'client', { functionCode: 'read', objects: [] })
    expect([scene.context.queue, alarmsIn(scene.context)]).toEqual([[], []])
  })
})

describe('receive() at the master', () => {
  const answer = {
    functionCode: 'response',
    indications: 0,
    objects: [
      {
        kind: 'binary_input',
        qualifier: 'range8',
        points: [
          { index: 0, flags: 0x81 },
          { index: 1, flags: 0x01 },
        ],
      },
      { kind: 'analog_input', qualifier: 'index8', points: [{ index: 2, flags: 1, value: 0.5 }] },
    ],
  } as const

  it('takes states by the flag of bit 7 and values by their index, into the names of the points', () => {
    const scene = stationScene('DNP3', 'RTU-2')
    exchange(scene, 'server', answer)
    const { view } = scene.context.world
    expect(view.closed).toEqual({ 3: true, 4: false })
    expect(view.values).toEqual({ Qinj_2: 0.5 })
    expect(view.heardUs).toEqual({ 'RTU-2': scene.context.startUs + 1_000 })
    expect(scene.context.queue).toEqual([])
  })

  it('confirms a report that requests it, with the sequence of the report', () => {
    const scene = stationScene('DNP3', 'RTU-2')
    const event = { index: 1, flags: 0x01, time: 5 }
    exchange(scene, 'server', {
      control: { ...control, confirm: true, unsolicited: true, sequence: 9 },
      functionCode: 'unsolicited_response',
      indications: 0,
      objects: [{ kind: 'binary_input_event', qualifier: 'index8', points: [event] }],
    })
    expect(fragments(scene)).toEqual(['CC confirm 9'])
    expect(scene.context.world.view.closed).toEqual({ 4: false })
  })

  it('reports the answer to a control, because it sent none', () => {
    const scene = stationScene('DNP3', 'RTU-2')
    exchange(scene, 'server', {
      functionCode: 'response',
      indications: 0,
      objects: [{ kind: 'control', qualifier: 'index8', points: [trip] }],
    })
    expect(alarmsIn(scene.context)).toEqual(['unordered_command RTU-2'])
  })

  it("takes nothing from answers on an attacker's connection, and still confirms them", () => {
    const scene = stationScene('DNP3', 'RTU-2')
    const confirm = { ...control, confirm: true }
    exchange(scene, 'server', { ...answer, control: confirm }, rogueConnection(scene))
    expect(scene.context.world.view.values).toEqual({})
    expect(fragments(scene)).toEqual(['THREAT confirm 0'])
  })
})

describe('dnp3Station.command()', () => {
  it.each([
    [true, 0x41],
    [false, 0x81],
  ])('orders closed %s with a direct operate of code %i', (closed, code) => {
    const scene = stationScene('DNP3', 'RTU-2')
    const { context } = scene
    const order = { index: 1, closed, timeUs: context.startUs + 40 }
    dnp3Station.command(scene, order, null)
    const [message] = context.queue
    expect(message).toMatchObject({ timeUs: order.timeUs, purpose: 'command', srcNode: 'CC' })
    expect(mustDecode(decodeDnp3(message?.payload ?? new Uint8Array(0))).fragment).toMatchObject({
      functionCode: 'direct_operate',
      objects: [{ kind: 'control', qualifier: 'index8', points: [{ ...trip, code }] }],
    })
  })
})
