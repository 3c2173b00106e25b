/** Devices and links of each network: complete, distinct, and found again by name. */

import { describe, expect, it } from 'vitest'
import { caseNames, findCase } from '#grid/network/cases/catalogue.ts'
import { meterPoints } from '#grid/telecontrol/meters.ts'
import { branchNames, findOutstation, listLinks, planTelecontrol } from '#grid/telecontrol/telecontrol.ts'
import { fullMeasurementSet } from '../../support/grid-measurements.ts'

describe.each(caseNames)('planTelecontrol() of %s', (name) => {
  const network = findCase(name)
  const plan = planTelecontrol(network)

  it('gives every device a different address', () => {
    const hosts = [
      plan.controlCentre,
      plan.pdc,
      plan.attacker,
      ...[...plan.outstations, ...plan.pmus, ...plan.ieds].map(({ host }) => host),
    ]
    for (const field of ['node', 'mac', 'ip'] as const) {
      expect(new Set(hosts.map((host) => host[field])).size).toBe(hosts.length)
    }
    expect(hosts.every(({ ip }) => /^10\.20\.[0-3]\.([1-9]\d?|1\d\d|2[0-4]\d|25[0-4])$/.test(ip))).toBe(true)
  })

  it('measures exactly the reference set, and the voltages of its phasor units', () => {
    const names = meterPoints(plan).map(({ name: meter }) => meter)
    expect(new Set(names).size).toBe(names.length)
    expect(names).toHaveLength(fullMeasurementSet(network).length + network.pmuBuses.length)
  })

  it('puts each breaker at one outstation and one protection device', () => {
    const numbers = network.branches.map(({ number }) => number)
    for (const devices of [plan.outstations, plan.ieds]) {
      expect(devices.flatMap(({ branches }) => branches).sort((a, b) => a - b)).toEqual(numbers)
    }
    for (const [number, breaker] of plan.breakerNames) expect(plan.branchByBreaker.get(breaker)).toBe(number)
    expect(plan.branchByBreaker.size).toBe(numbers.length)
  })

  it('speaks all three protocols, finds stations by address, and names every link once', () => {
    expect(new Set(plan.outstations.map(({ protocol }) => protocol)).size).toBe(3)
    for (const one of plan.outstations) expect(findOutstation(plan, one.protocol, one.address)).toBe(one)
    const ids = listLinks(plan).map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('is the same plan for the same network', () => {
    expect(planTelecontrol(findCase(name))).toBe(plan)
  })
})

describe('branchNames()', () => {
  it('numbers the second circuit between two buses', () => {
    const names = [...branchNames(findCase('case118')).values()]
    expect(names).toContain('42-49')
    expect(names).toContain('42-49-2')
    expect(new Set(names).size).toBe(names.length)
  })
})
