/** SV_INJECT: a protection opens its breaker on a current that does not flow. */

import { describe, expect, it } from 'vitest'
import { decodeSampledValues } from '#grid/protocols/sampled-values.ts'
import { techniqueOf } from '../../support/attack-catalogue.ts'
import { alarmNames, duel, handled } from '../../support/attack-session.ts'
import { mustDecode } from '../../support/must.ts'

const settings = { configuration: { iec61850: 2 } }
const countsOf = (bytes: Uint8Array) =>
  mustDecode(decodeSampledValues(bytes)).asdus.map(({ sampleCount }) => sampleCount)

describe('SV_INJECT', () => {
  const run = duel('SV_INJECT', { target_link: 'MU-4--IED-4' }, settings)

  it('publishes the counts of the unit before the unit does, and nothing on other links', () => {
    const own = run.attacked.frames.filter(({ protocol, label }) => protocol === 'SV' && label !== null)
    const honest = run.twin.frames.filter(({ protocol, src }) => protocol === 'SV' && src.endsWith(':04'))
    expect(own).toHaveLength(honest.length)
    for (const [at, frame] of own.entries()) {
      expect(countsOf(frame.bytes)).toEqual(countsOf(honest[at]?.bytes ?? frame.bytes))
      expect(frame.timeUs).toBeLessThan(honest[at]?.timeUs ?? 0)
    }
  })

  it('makes the protection open the breaker by its GOOSE, and the control centre notices', () => {
    expect(run.attacked.world.plant.open).toEqual([7])
    expect(run.twin.world.plant.open).toEqual([])
    expect(alarmNames(run.alarms)).toEqual(expect.arrayContaining(['breaker CB-4-5', 'sequence MU-4']))
  })

  it('labels its frames with its technique, and is CRITICAL where the protection trips', () => {
    const own = run.attacked.incidents.filter(({ status }) => status !== 'clean')
    for (const { technique } of own) expect(technique).toEqual(techniqueOf('SV_INJECT'))
    expect(own.filter(({ severity }) => severity === 'CRITICAL')[0]).toMatchObject({
      protocol: 'SV',
      impact: { effects: [{ protection: 'IED-4', state: 'trip' }] },
    })
  })

  it('changes the currents of frames on their way, and keeps their length, counts and voltages', () => {
    const altered = duel('SV_INJECT', { mode: 'alter', factor: 1.5 }, { ...settings, steps: 10 })
    const messages = handled(altered.attacked)
    expect(messages.length).toBeGreaterThan(10)
    for (const { before, after } of messages) {
      const [was, is] = [before, after ?? before].map(({ bytes }) => mustDecode(decodeSampledValues(bytes)))
      expect(is?.asdus.map(({ values }) => values.slice(3))).toEqual(was?.asdus.map(({ values }) => values.slice(3)))
      expect(countsOf(after?.bytes ?? new Uint8Array(0))).toEqual(countsOf(before.bytes))
      expect(is?.asdus[0]?.values[0]?.value).toBe(Math.round((was?.asdus[0]?.values[0]?.value ?? 0) * 1.5))
    }
    expect(altered.attacked.world.plant.open).toEqual([])
    const tripped = duel('SV_INJECT', { mode: 'alter', target_link: 'MU-4--IED-4' }, { ...settings, steps: 10 })
    expect(tripped.attacked.world.plant.open).toEqual([7])
  })

  it('trips nothing with currents that the protection allows', () => {
    expect(duel('SV_INJECT', { factor: 1.1 }, settings).attacked.world.plant.open).toEqual([])
  })
})
