/** Configurations of phasor streams: one for each unit, written and read as a CFG-2 without loss. */

import { describe, expect, it } from 'vitest'
import { pmuRates } from '#grid/interface/session-settings.ts'
import { caseNames, findCase } from '#grid/network/cases/catalogue.ts'
import { decodeC37118, encodeC37118, toC37118Time } from '#grid/protocols/c37118.ts'
import { streamConfigurations } from '#grid/telecontrol/phasor-configuration.ts'
import { planTelecontrol } from '#grid/telecontrol/plan-telecontrol.ts'

describe('streamConfigurations()', () => {
  it.each(caseNames)('of every unit of %s survives its CFG-2, names and all', (name) => {
    const plan = planTelecontrol(findCase(name))
    for (const { link, idCode, bus, currents } of plan.pmus) {
      const configuration = streamConfigurations(plan, 30).get(link)
      if (configuration === undefined) throw new Error(`no configuration on ${link}`)
      const time = toC37118Time(1_764_000_000_000_000)
      const decoded = decodeC37118(encodeC37118({ kind: 'configuration_2', idCode, time, configuration }))
      expect(decoded).toMatchObject({ ok: true, value: { kind: 'configuration_2', idCode, configuration } })
      const [unit] = configuration.pmus
      expect(unit?.phasors).toHaveLength(1 + currents.length)
      expect(unit?.phasors[0]).toMatchObject({ name: `V_${bus}`, unit: 'volt' })
      const names = unit?.phasors.map((phasor) => phasor.name) ?? []
      expect(new Set(names).size).toBe(names.length)
    }
  })

  it('is the same object for the same rate, and holds every other rate', () => {
    const plan = planTelecontrol(findCase('case14'))
    const link = plan.pmus[0]?.link ?? ''
    const rates = pmuRates.map((rate) => streamConfigurations(plan, rate).get(link))
    expect(rates.map((configuration) => configuration?.dataRate)).toEqual([...pmuRates])
    expect(pmuRates.map((rate) => streamConfigurations(plan, rate).get(link))).toEqual(rates)
    pmuRates.forEach((rate, index) => {
      expect(streamConfigurations(plan, rate).get(link)).toBe(rates[index])
    })
  })

  it('is unknown on links without phasors', () => {
    const plan = planTelecontrol(findCase('case14'))
    expect(streamConfigurations(plan, 5).get(plan.outstations[0]?.link ?? '')).toBeUndefined()
    expect(streamConfigurations(plan, 5).get('nowhere')).toBeUndefined()
  })
})
