/** MMS_CMD_INJECT: a breaker of an IEC 61850 station moves by two forged writes. */

import { describe, expect, it } from 'vitest'
import { decodeMms } from '#grid/protocols/mms/frame.ts'
import { techniqueOf } from '../../support/attack-catalogue.ts'
import { alarmNames, type Duel, duel, payloadOf } from '../../support/attack-session.ts'

const settings = { configuration: { iec61850: 2 } }

/** The labelled messages of a duel: what the client writes, and the kinds of everything else. */
function labelled({ attacked }: Duel): string[] {
  return attacked.frames
    .filter(({ label, protocol }) => label !== null && protocol === 'MMS')
    .map((frame) => {
      const decoded = decodeMms(payloadOf(frame))
      if (!decoded.ok) throw new Error(decoded.fault.message)
      if (decoded.value.kind !== 'data') return decoded.value.kind
      const { pdu } = decoded.value
      if (pdu.kind !== 'confirmed_request' || pdu.request.service !== 'write') return pdu.kind
      return 'names' in pdu.request.variables ? `write ${pdu.request.variables.names[0]?.item}` : pdu.kind
    })
}

describe('MMS_CMD_INJECT', () => {
  const run = duel('MMS_CMD_INJECT', {}, settings)

  it('associates as a second client, selects and operates', () => {
    expect(labelled(run)).toEqual([
      'connection_request',
      'connection_confirm',
      'associate_request',
      'associate_response',
      'write CSWI2$CO$Pos$SBOw',
      'confirmed_response',
      'write CSWI2$CO$Pos$Oper',
      'confirmed_response',
      'information_report',
    ])
  })

  it('opens the breaker, which the control centre sees reported and did not order', () => {
    expect(run.attacked.world.plant.open).toEqual([8])
    expect(run.attacked.world.view.closed[8]).toBe(false)
    const names = alarmNames(run.alarms)
    expect(names).toEqual(expect.arrayContaining(['breaker CB-4-7', 'second_master RTU-4', 'unknown_writer RTU-4']))
  })

  it('labels its messages with its technique, and is CRITICAL where the breaker moved', () => {
    const own = run.attacked.incidents.filter(({ status }) => status !== 'clean')
    expect(own.length).toBeGreaterThan(4)
    for (const incident of own) {
      expect(incident).toMatchObject({ attack_id: run.attackId, technique: techniqueOf('MMS_CMD_INJECT') })
    }
    expect(own.filter(({ severity }) => severity === 'CRITICAL')).toMatchObject([
      {
        description: 'Forged command: open CB-4-7 at RTU-4',
        impact: { effects: [{ breaker: 'CB-4-7', state: 'open' }] },
      },
    ])
  })

  it('writes inside the association of the control centre too, which notices answers that it did not ask for', () => {
    const inside = duel('MMS_CMD_INJECT', { rogue_source: false, breaker: 'CB-9-10' }, settings)
    expect(labelled(inside)).toEqual(['write CSWI1$CO$Pos$SBOw', 'write CSWI1$CO$Pos$Oper'])
    expect(inside.attacked.world.plant.open).toEqual([16])
    expect(alarmNames(inside.alarms)).toEqual(expect.arrayContaining(['breaker CB-9-10', 'unordered_command RTU-9']))
  })

  it('leaves a breaker that is in that state', () => {
    expect(duel('MMS_CMD_INJECT', { control: 'close' }, settings).attacked.world.plant.open).toEqual([])
  })
})
