/** IEC 61850 stations over MMS: the association, the reads, the reports, and orders of the control centre. */

import { describe, expect, it } from 'vitest'
import { decodeMms } from '#grid/protocols/mms/frame.ts'
import { applyCommand } from '#grid/step/apply-command.ts'
import type { PacketRecord } from '#grid/types.ts'
import { payloadOf } from '#test/support/attack-session.ts'
import { runSteps, startWorld } from '#test/support/grid-session.ts'

/** The conversation with RTU-4 in short, without what only serves TCP. */
function conversation(frames: readonly PacketRecord[]): string[] {
  return frames
    .filter(({ protocol, src, dst }) => protocol === 'MMS' && `${src} ${dst}`.includes('10.20.1.4:102'))
    .map((frame) => {
      const way = frame.dst.endsWith(':102') ? '>' : '<'
      const decoded = decodeMms(payloadOf(frame))
      if (!decoded.ok) throw new Error(decoded.fault.message)
      if (decoded.value.kind !== 'data') return `${way} ${decoded.value.kind}`
      const { pdu } = decoded.value
      if (pdu.kind === 'confirmed_request') {
        const { request } = pdu
        const variables = request.service === 'read' || request.service === 'write' ? request.variables : undefined
        const name = variables && ('list' in variables ? variables.list : variables.names[0])
        return `${way} ${request.service} ${name?.item}`
      }
      if (pdu.kind === 'confirmed_response') {
        const { response } = pdu
        const results = 'results' in response ? response.results.length : 0
        return `${way} ${response.service} of ${results}`
      }
      return `${way} ${pdu.kind}`
    })
}

const station = { iec61850: 2 }

describe('mmsStation', () => {
  it('associates once, asks for reports, and reads the data set in every scan', () => {
    const { frames, world } = runSteps(startWorld(station), 60)
    expect(conversation(frames)).toEqual([
      '> connection_request',
      '< connection_confirm',
      '> associate_request',
      '< associate_response',
      '> write LLN0$RP$urcbScan01$RptEna',
      '> read LLN0$dsScan',
      '< write of 1',
      '< read of 12',
      '> read LLN0$dsScan',
      '< read of 12',
      '> read LLN0$dsScan',
      '< read of 12',
    ])
    const sample = world.samples['RTU-4']?.values[0] ?? 0
    expect(world.view.values.V_4).toBeCloseTo(sample, 6)
    expect(world.view.closed[8]).toBe(true)
    expect(world.view.alarms).toEqual([])
  })

  it('carries an order of the control centre as a selection and an operation, and reports the breaker that moved', () => {
    const { world } = runSteps(startWorld(station), 45)
    applyCommand(world, { kind: 'switch', step: world.step, breaker: 'CB-4-7', closed: false })
    const { frames } = runSteps(world, 1)
    expect(conversation(frames)).toEqual([
      '> write CSWI2$CO$Pos$SBOw',
      '< write of 1',
      '> write CSWI2$CO$Pos$Oper',
      '< write of 1',
      '< information_report',
      '< information_report',
    ])
    expect([world.plant.open, world.view.closed[8]]).toEqual([[8], false])
    runSteps(world, 60)
    expect(world.view.alarms).toEqual([])
  })

  it('carries orders that come at once one after the other', () => {
    const { world } = runSteps(startWorld(station), 45)
    for (const [breaker, closed] of [
      ['CB-4-7', false],
      ['CB-4-9', false],
      ['CB-4-7', true],
    ] as const) {
      applyCommand(world, { kind: 'switch', step: world.step, breaker, closed })
    }
    runSteps(world, 1)
    expect(world.plant.open).toEqual([8])
    runSteps(world, 60)
    expect([world.plant.open, world.orders, world.view.alarms]).toEqual([[9], [], []])
  })

  it('reports a trip of the protection, which is an alarm', () => {
    const { world } = runSteps(startWorld(station), 45)
    applyCommand(world, { kind: 'trip', step: world.step, breaker: 'CB-4-9' })
    runSteps(world, 2)
    expect(world.view.closed[9]).toBe(false)
    expect(world.view.alarms).toMatchObject([{ detector: 'breaker', where: 'CB-4-9' }])
  })

  it('begins anew where an association did not come about for a scan', () => {
    const world = startWorld(station)
    runSteps(world, 15)
    const connection = world.connections['CC--RTU-4#cc']
    if (connection?.dialogue.protocol !== 'MMS') throw new Error('no association')
    connection.dialogue.phase = 'associating'
    const again = conversation(runSteps(world, 20).frames)
    expect(again.slice(0, 2)).toEqual(['> connection_request', '< connection_confirm'])
    expect(again.at(-1)).toBe('< read of 12')
  })
})
