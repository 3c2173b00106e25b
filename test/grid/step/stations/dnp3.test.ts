/** DNP3 stations: when the master polls, what both ends do with a message, and whom the control centre reports. */

import { describe, expect, it } from 'vitest'
import { decodeHex } from '#base/hex.ts'
import { decodeDnp3, encodeDnp3 } from '#grid/protocols/dnp3.ts'
import type { Dnp3Fragment } from '#grid/protocols/dnp3-fragment.ts'
import { dnp3Station } from '#grid/step/stations/dnp3.ts'
import type { Connection } from '#grid/step/world.ts'
import { contextOf } from '#test/support/grid-context.ts'
import { startWorld } from '#test/support/grid-session.ts'
import {
  alarmsIn,
  arriving,
  queued,
  rogueConnection,
  type StationScene,
  stationScene,
} from '#test/support/grid-stations.ts'
import { mustDecode } from '#test/support/must.ts'

const control = { isFirst: true, isFinal: true, confirm: false, unsolicited: false, sequence: 0 }
const poll = '056414c40b000100672fc0c0013c02063c03063c04063c01068a51'
const trip = { index: 1, code: 0x81, count: 1, onTimeMs: 100, offTimeMs: 100, status: 0 }

/** Lets one end of a connection send a fragment, and the other take it in. */
function exchange(
  scene: StationScene,
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
function fragments({ context }: StationScene) {
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

  it('enables reports of all three classes first, and reads 8 ms later', () => {
    const { mine } = scan()
    expect(mine.map(({ hex }) => hex)).toEqual([
      '056411c40b000100eed7' + 'c0c0143c02063c03063c04067896',
      '056414c40b000100672f' + 'c1c1013c02063c03063c04063c01066201',
    ])
    expect((mine[1]?.afterUs ?? 0) - (mine[0]?.afterUs ?? 0)).toBe(8_000)
  })

  it('only reads in later scans', () => {
    const { world } = scan()
    const { mine } = scan(world)
    expect(mine).toHaveLength(1)
    expect(mine[0]?.hex).toContain('c2c2013c02')
  })
})

describe('receive() at the outstation', () => {
  it('answers a request of its master 1.8 to 3.2 ms later, and reports nothing', () => {
    const scene = stationScene('RTU-2')
    dnp3Station.receive(scene.context, arriving(scene, scene.connection, 'client', decodeHex(poll)), decodeHex(poll))
    expect(fragments(scene)).toEqual(['RTU-2 response 0'])
    const [answer] = queued(scene.context)
    expect(answer?.afterUs).toBeGreaterThanOrEqual(2_800)
    expect(answer?.afterUs).toBeLessThan(4_200)
    expect(alarmsIn(scene.context)).toEqual([])
  })

  it('obeys a command of its master without an alarm', () => {
    const scene = stationScene('RTU-2')
    exchange(scene, 'client', {
      functionCode: 'direct_operate',
      objects: [{ kind: 'control', qualifier: 'index8', points: [trip] }],
    })
    expect(scene.context.world.plant.open).toEqual([4])
    expect(alarmsIn(scene.context)).toEqual([])
  })

  it('reports a second master that reads, and an unknown writer that commands', () => {
    const scene = stationScene('RTU-2')
    const rogue = rogueConnection(scene)
    exchange(scene, 'client', { functionCode: 'read', objects: [] }, rogue)
    expect(alarmsIn(scene.context)).toEqual(['second_master RTU-2'])
    exchange(scene, 'client', { functionCode: 'select', objects: [] }, rogue)
    expect(alarmsIn(scene.context)).toEqual(['second_master RTU-2', 'unknown_writer RTU-2'])
    expect(scene.context.world.view.alarms[1]?.evidence).toEqual({
      host: '10.20.0.66',
      command: 'DNP3 select',
    })
  })

  it('ignores octets that it cannot read, and connections that are gone', () => {
    const scene = stationScene('RTU-2')
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
    const scene = stationScene('RTU-2')
    exchange(scene, 'server', answer)
    const { view } = scene.context.world
    expect(view.closed).toEqual({ 3: true, 4: false })
    expect(view.values).toEqual({ Qinj_2: 0.5 })
    expect(view.heardUs).toEqual({ 'RTU-2': scene.context.startUs + 1_000 })
    expect(scene.context.queue).toEqual([])
  })

  it('confirms a report that requests it, with the sequence of the report', () => {
    const scene = stationScene('RTU-2')
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
    const scene = stationScene('RTU-2')
    exchange(scene, 'server', {
      functionCode: 'response',
      indications: 0,
      objects: [{ kind: 'control', qualifier: 'index8', points: [trip] }],
    })
    expect(alarmsIn(scene.context)).toEqual(['unordered_command RTU-2'])
  })

  it("takes nothing from answers on an attacker's connection, and still confirms them", () => {
    const scene = stationScene('RTU-2')
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
    const { context, connection, outstation } = stationScene('RTU-2')
    const order = { index: 1, closed, timeUs: context.startUs + 40 }
    dnp3Station.command(context, connection, outstation, order, null)
    const [message] = context.queue
    expect(message).toMatchObject({ timeUs: order.timeUs, purpose: 'command', srcNode: 'CC' })
    expect(mustDecode(decodeDnp3(message?.payload ?? new Uint8Array(0))).fragment).toMatchObject({
      functionCode: 'direct_operate',
      objects: [{ kind: 'control', qualifier: 'index8', points: [{ ...trip, code }] }],
    })
  })
})
