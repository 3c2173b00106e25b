/** IEC 104 messages of both ends: octets as the standard lays them out, the send window, and who was last heard. */

import { describe, expect, it } from 'vitest'
import { interrogation, putAsdu, sendApdu, toAsdu } from '#grid/step/stations/iec104-dialogue.ts'
import { queued, stationScene } from '#test/support/grid-stations.ts'
import { startedIec104 } from '#test/support/iec104-scene.ts'

describe('putAsdu()', () => {
  it('writes a general interrogation as IEC 60870-5-104 does, and the next N(S) on the next', () => {
    const { context, connection } = startedIec104()
    const { startUs } = context
    putAsdu({ context, connection }, 'client', interrogation(1), { timeUs: startUs + 10 })
    putAsdu({ context, connection }, 'client', interrogation(1), { timeUs: startUs + 20 })
    const asdu = '640106000100' + '00000014'
    expect(queued(context)).toEqual([
      { afterUs: 10, srcNode: 'CC', hex: `680e00000000${asdu}`, purpose: 'command' },
      { afterUs: 20, srcNode: 'CC', hex: `680e02000000${asdu}`, purpose: 'command' },
    ])
    expect(context.queue[0]).toMatchObject({
      protocol: 'IEC104',
      link: 'CC--RTU-1',
      dstNode: 'RTU-1',
      carrier: { kind: 'tcp', connection: 'CC--RTU-1#cc', side: 'client' },
      forged: null,
    })
  })

  it('numbers each end by itself, with the N(R) of what that end has received', () => {
    const { context, connection, dialogue } = startedIec104()
    dialogue.server = { ...dialogue.server, receiveSequence: 5, unacknowledgedReceived: 5 }
    putAsdu({ context, connection }, 'client', interrogation(1), { timeUs: context.startUs })
    putAsdu({ context, connection }, 'server', interrogation(1), { timeUs: context.startUs })
    expect(queued(context).map(({ srcNode, hex }) => [srcNode, hex.slice(4, 12)])).toEqual([
      ['CC', '00000000'],
      ['RTU-1', '00000a00'],
    ])
    expect(dialogue).toMatchObject({
      client: { sendSequence: 1 },
      server: { sendSequence: 1, unacknowledgedReceived: 0 },
    })
  })

  it('sends twelve messages that are not acknowledged, and no thirteenth (k of clause 5.5)', () => {
    const { context, connection, dialogue } = startedIec104()
    const put = () => putAsdu({ context, connection }, 'client', interrogation(1), { timeUs: context.startUs })
    for (let count = 0; count < 15; count++) put()
    expect(context.queue).toHaveLength(12)
    dialogue.client = { ...dialogue.client, acknowledged: 1 }
    put()
    put()
    expect(context.queue).toHaveLength(13)
  })

  it('sends nothing before data transfer is started', () => {
    const { context, connection } = stationScene('IEC104', 'RTU-1')
    putAsdu({ context, connection }, 'client', interrogation(1), { timeUs: context.startUs })
    expect(context.queue).toEqual([])
  })
})

describe('sendApdu()', () => {
  it.each([
    ['STARTDT_ACT', '680407000000'],
    ['STOPDT_CON', '680423000000'],
    ['TESTFR_ACT', '680443000000'],
  ] as const)('writes %s as %s, which serves the link only', (name, hex) => {
    const { context, connection } = stationScene('IEC104', 'RTU-1')
    sendApdu({ context, connection }, 'server', { format: 'U', function: name }, { timeUs: context.startUs })
    expect(queued(context)).toEqual([{ afterUs: 0, srcNode: 'RTU-1', hex, purpose: 'link' }])
  })

  it('notes when the client last sent, and does not when the server does', () => {
    const { context, connection, dialogue } = startedIec104()
    const test = { format: 'U', function: 'TESTFR_ACT' } as const
    sendApdu({ context, connection }, 'client', test, { timeUs: context.startUs + 70 })
    sendApdu({ context, connection }, 'server', test, { timeUs: context.startUs + 90 })
    expect(dialogue.lastUs).toBe(context.startUs + 70)
  })

  it.each([
    ['M_SP_NA_1', 'reporting'],
    ['C_SC_NA_1', 'command'],
  ] as const)('sends %s as %s, with the attack that forged it', (type, purpose) => {
    const { context, connection } = startedIec104()
    const forged = { attackId: 'IEC-1', description: 'Forged' }
    const common = { cause: 3, commonAddress: 1 }
    const asdu =
      type === 'M_SP_NA_1'
        ? toAsdu({ ...common, type, objects: [{ address: 1, isOn: true, quality: 0 }] })
        : toAsdu({ ...common, type, objects: [{ address: 1, isOn: true, select: true, qualifier: 0 }] })
    sendApdu(
      { context, connection },
      'client',
      { format: 'I', sendSequence: 0, receiveSequence: 0, asdu },
      { timeUs: context.startUs, forged },
    )
    expect(context.queue).toMatchObject([{ purpose, forged }])
  })
})

describe('toAsdu()', () => {
  const body = { type: 'C_IC_NA_1', objects: [{ address: 0, qualifier: 20 }], cause: 6, commonAddress: 1 } as const

  it('fills in single addressing, no test, originator 0 and no refusal', () => {
    expect(toAsdu(body)).toEqual({ ...body, isSequence: false, isTest: false, originator: 0, isNegative: false })
  })
})
