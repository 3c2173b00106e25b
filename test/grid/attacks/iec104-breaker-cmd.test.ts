/** IEC104_BREAKER_CMD: the conversation of a second master, address by address. */

import { describe, expect, it } from 'vitest'
import { decodeIec104 } from '#grid/protocols/iec104.ts'
import { techniqueOf } from '../../support/attack-catalogue.ts'
import { type Duel, duel, octetsOf, payloadOf } from '../../support/attack-session.ts'

/** The conversation in short: `> C_SC_NA_1 6 1001 select`, with the cause and `-` for a refusal. */
function conversation({ attacked }: Duel): string[] {
  return attacked.frames
    .filter(({ label, protocol }) => label !== null && protocol === 'IEC104')
    .map((frame) => {
      const way = frame.dst.endsWith(':2404') ? '>' : '<'
      const decoded = decodeIec104(payloadOf(frame))
      if (!decoded.ok) throw new Error(decoded.fault.message)
      if (decoded.value.format === 'U') return `${way} ${decoded.value.function}`
      if (decoded.value.format === 'S') return `${way} S`
      const { asdu } = decoded.value
      const [object] = asdu.objects
      const select = object !== undefined && 'select' in object ? (object.select ? ' select' : ' execute') : ''
      return `${way} ${asdu.type} ${asdu.cause}${asdu.isNegative ? '-' : ''} ${object?.address}${select}`
    })
}

describe('IEC104_BREAKER_CMD', () => {
  const run = duel('IEC104_BREAKER_CMD', { ioa_from: 1002, ioa_to: 1003 })

  it('starts the transfer, interrogates, and then selects and executes each address, as the standard has it', () => {
    expect(conversation(run)).toEqual([
      '> STARTDT_ACT',
      '< STARTDT_CON',
      '> C_IC_NA_1 6 0',
      '< C_IC_NA_1 7 0',
      '< M_SP_NA_1 20 1',
      '< M_ME_NC_1 20 2001',
      '< C_IC_NA_1 10 0',
      '> C_SC_NA_1 6 1002 select',
      '< C_SC_NA_1 7 1002 select',
      '> C_SC_NA_1 6 1002 execute',
      '< C_SC_NA_1 7 1002 execute',
      '< C_SC_NA_1 10 1002 execute',
      '> C_SC_NA_1 6 1003 select',
      '< C_SC_NA_1 47- 1003 select',
      '> C_SC_NA_1 6 1003 execute',
      '< C_SC_NA_1 47- 1003 execute',
    ])
  })

  it('labels its whole session, and is CRITICAL where a breaker moved', () => {
    const own = run.attacked.incidents.filter(({ status }) => status !== 'clean')
    for (const incident of own) {
      expect(incident).toMatchObject({
        attack_id: run.attackId,
        attack_type: 'IEC104_BREAKER_CMD',
        technique: techniqueOf('IEC104_BREAKER_CMD'),
        status: 'attacked',
      })
    }
    expect(own.filter(({ severity }) => severity === 'CRITICAL')).toMatchObject([
      {
        description: 'Forged C_SC_NA_1 execute: IOA 1002 off at RTU-1',
        impact: { effects: [{ breaker: 'CB-1-5', state: 'open' }] },
        src_node: 'THREAT',
        dst_node: 'RTU-1',
      },
    ])
    expect(new Set(own.map(({ severity }) => severity))).toEqual(new Set(['HIGH', 'CRITICAL']))
  })

  it('does not change the session of the first master or any other protocol', () => {
    const others = (own: Duel['twin']) =>
      octetsOf(own.frames.filter(({ label, protocol }) => label === null && protocol === 'GOOSE'))
    expect(others(run.attacked)).toEqual(others(run.twin))
    const heard = ({ world }: Duel['twin']) => Math.floor((world.view.heardUs['RTU-1'] ?? 0) / 1e5)
    expect(heard(run.attacked)).toBe(heard(run.twin))
    const report = run.attacked.incidents.find(
      ({ src_node, dst_node, modified_val }) => src_node === 'RTU-1' && dst_node === 'CC' && modified_val === undefined,
    )
    expect(report?.status).toBe('clean')
  })

  it('closes its connection at the end', () => {
    expect(Object.keys(run.attacked.world.connections).filter((id) => id.includes('IEC104_B'))).toEqual([])
  })

  it('keeps its interval between addresses', () => {
    const slow = duel('IEC104_BREAKER_CMD', { interval_ms: 1000 }, { steps: 60 })
    const selects = slow.attacked.incidents.filter(({ description }) => description?.includes(' select:'))
    const gaps = selects.slice(1).map(({ timestamp }, index) => timestamp - (selects[index]?.timestamp ?? 0))
    for (const gap of gaps) expect(gap).toBeCloseTo(1, 1)
    expect(gaps).toHaveLength(3)
  })

  it('walks a long range at full speed to its end, within the windows of the protocol', () => {
    const sweep = duel(
      'IEC104_BREAKER_CMD',
      { ioa_from: 1001, ioa_to: 1060, interval_ms: 10, state: 'on' },
      { steps: 60 },
    )
    const commands = conversation(sweep).filter((line) => line.startsWith('> C_SC'))
    expect(commands).toEqual(
      Array.from({ length: 60 }, (_, index) => 1001 + index).flatMap((address) => [
        `> C_SC_NA_1 6 ${address} select`,
        `> C_SC_NA_1 6 ${address} execute`,
      ]),
    )
    const answers = conversation(sweep).filter((line) => line.startsWith('< C_SC'))
    expect(answers.filter((line) => line.includes(' 47- '))).toHaveLength(2 * 58)
  })

  it('cuts a substation off: without its lines there is no slack, and the rest is dark', () => {
    const dark = duel('IEC104_BREAKER_CMD', {}, { steps: 120 })
    expect(dark.attacked.world.plant.open).toEqual([1, 2])
    expect(dark.attacked.world.plant.solution.servedMw).toBe(0)
    expect(dark.twin.world.plant.solution.servedMw).toBeCloseTo(259, 3)
  })

  it('toggles: what is open is closed', () => {
    const twice = duel('IEC104_BREAKER_CMD', { ioa_from: 1002, ioa_to: 1002, state: 'toggle', type_id: 'C_DC_NA_1' })
    expect(twice.attacked.world.plant.open).toEqual([2])
    expect(conversation(twice).filter((line) => line.includes('C_DC_NA_1'))).toHaveLength(5)
  })
})
