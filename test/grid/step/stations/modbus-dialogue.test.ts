/** Modbus requests of the control centre and of an attacker: octets, transaction numbers, and what is waited for. */

import { describe, expect, it } from 'vitest'
import { ask, askMeasurements, forgeModbus } from '#grid/step/stations/modbus-dialogue.ts'
import { queued, rogueConnection, stationScene } from '#test/support/grid-stations.ts'

const coil = { kind: 'write_single_coil', address: 0xac, value: true } as const
const bits = { kind: 'read_discrete_inputs', address: 0xc4, quantity: 0x16 } as const

/** RTU-3 is unit 1, and begins branch 6: five points. */
function scene() {
  const whole = stationScene('Modbus', 'RTU-3')
  return { ...whole, dialogue: whole.connection.dialogue }
}

describe('ask()', () => {
  it('writes the request of section 6.2 behind an MBAP header, 0.9 ms later, and counts transactions', () => {
    const { context, connection, outstation, dialogue } = scene()
    for (const _ of [1, 2]) ask({ context, connection, outstation }, 'states', bits, context.startUs + 100)
    expect(queued(context)).toEqual(
      ['0001', '0002'].map((transaction) => ({
        afterUs: 1_000,
        srcNode: 'CC',
        hex: `${transaction}00000006010200c40016`,
        purpose: 'link',
      })),
    )
    expect(dialogue).toEqual({ protocol: 'Modbus', transaction: 2, asked: 'states', readFrom: 0 })
  })

  it('begins again after transaction 65,535', () => {
    const { context, connection, outstation, dialogue } = scene()
    dialogue.transaction = 65_534
    for (const _ of [1, 2, 3]) ask({ context, connection, outstation }, 'states', bits, context.startUs)
    const numbers = queued(context).map(({ hex }) => Number.parseInt(hex.slice(0, 4), 16))
    expect(numbers[0]).toBe(65_535)
    expect(numbers[2]).toBe((numbers[1] ?? Number.NaN) + 1)
    expect(numbers[1]).toBeLessThanOrEqual(1)
  })
})

describe('askMeasurements()', () => {
  it('reads two input registers for each point, from address 0', () => {
    const { context, connection, outstation, dialogue } = scene()
    askMeasurements({ context, connection, outstation }, context.startUs)
    expect(queued(context).map(({ hex }) => hex)).toEqual(['0001' + '00000006' + '01' + '0400' + '00' + '000a'])
    expect(dialogue.asked).toBe('measurements')
  })
})

describe('forgeModbus()', () => {
  const forged = { attackId: 'ORDER-1', description: 'Forged' }

  it('sends nothing on a connection of another protocol', () => {
    const { context, connection } = stationScene('DNP3', 'RTU-2')
    forgeModbus({ context, connection }, 1, coil, { timeUs: 0, forged })
    expect(context.queue).toEqual([])
  })

  it("keeps clear of the control centre's own transaction inside its session, modulo 2^16", () => {
    const { context, connection, dialogue } = scene()
    for (const transaction of [7, 0xffff]) {
      dialogue.transaction = transaction
      dialogue.asked = 'states'
      forgeModbus({ context, connection }, 1, coil, { timeUs: context.startUs + 5, forged })
      expect(dialogue).toMatchObject({ transaction, asked: 'states' })
    }
    expect(queued(context)).toEqual(
      ['1007', '0fff'].map((transaction) => ({
        afterUs: 5,
        srcNode: 'CC',
        hex: `${transaction}00000006010500acff00`,
        purpose: 'command',
      })),
    )
    expect(context.queue[0]?.forged).toBe(forged)
  })

  it("counts transactions on an attacker's own connection, to the unit that is named", () => {
    const whole = scene()
    const rogue = rogueConnection(whole)
    for (const _ of [1, 2])
      forgeModbus({ ...whole, connection: rogue }, 9, coil, { timeUs: whole.context.startUs, forged })
    expect(queued(whole.context).map(({ srcNode, hex }) => `${srcNode} ${hex.slice(0, 14)}`)).toEqual([
      'THREAT 00010000000609',
      'THREAT 00020000000609',
    ])
  })
})
