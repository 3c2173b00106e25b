/** The monitor of the links: foreign masters, unreadable messages of every kind, and silence about honest ones. */

import { describe, expect, it } from 'vitest'
import { findTelecontrol } from '#grid/engine.ts'
import { attackNamed, detectors, duel } from '../../support/attack-session.ts'
import { runSteps, startWorld } from '../../support/grid-session.ts'

describe('reportMalformed()', () => {
  const protocols = ['DNP3', 'C37.118', 'IEC104', 'GOOSE', 'Modbus']
  const kinds = ['bad_crc', 'bad_length', 'truncated', 'unknown_function', 'wrong_object_count']
  const pairs = protocols.flatMap((protocol) =>
    kinds
      .filter((kind) => attackNamed('MALFORMED').check?.({ protocol, kind }, plan(), null).length === 0)
      .map((kind) => [protocol, kind] as const),
  )

  it.each(pairs)('names the links on which %s is broken by %s, and what is wrong', (protocol, kind) => {
    const params = { protocol, kind, rate_percent: 100 }
    const { alarms, attacked } = duel('MALFORMED', params, { steps: 45, configuration: { case: 'case9' } })
    const broken = alarms.filter(({ detector }) => detector === 'malformed')
    const links = new Set(broken.map(({ where }) => where))
    expect(broken.length).toBe(links.size)
    expect(links.size).toBe(attackNamed('MALFORMED').links(params, plan()).length)
    expect(broken.every(({ text, evidence }) => text.includes(protocol) && evidence.code !== undefined)).toBe(true)
    expect(attacked.incidents.some(({ status }) => status === 'invalid')).toBe(true)
  })
})

function plan() {
  return findTelecontrol(startWorld({ case: 'case9' }))
}

describe('watchMaster()', () => {
  it.each([
    ['IEC104_BREAKER_CMD', {}],
    ['MODBUS_CMD_INJECT', {}],
    ['DNP3_CONTROL', { spoof_master: false }],
    ['COORDINATED_OUTAGE', {}],
  ])('sees the second master and the writes of %s within a second', (type, params) => {
    const { alarms, attacked } = duel(type, params, { steps: 10 })
    const [alarm] = alarms.filter(({ detector }) => detector === 'second_master')
    expect(alarm?.evidence).toEqual({ host: '10.20.0.66', master: '10.20.0.10' })
    expect(detectors(alarms)).toContain('unknown_writer')
    expect(attacked.world.view.alarmCount).toBe(attacked.world.view.alarms.length)
  })

  it('report nothing about messages of the control centre', () => {
    for (const name of ['case9', 'case30'] as const) {
      const { world } = runSteps(startWorld({ case: name }), 60)
      expect(detectors(world.view.alarms)).toEqual([])
    }
  })
})
