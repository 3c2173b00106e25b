/** Devices and links of each network: complete, distinct, and found again by name. */

import { describe, expect, it } from 'vitest'
import { caseNames, findCase } from '#grid/network/cases/catalogue.ts'
import { meterPoints } from '#grid/telecontrol/meters.ts'
import { branchNames, planTelecontrol } from '#grid/telecontrol/plan-telecontrol.ts'
import { findOutstation, listLinks } from '#grid/telecontrol/telecontrol.ts'
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

  it('has stations of all three protocols, finds them by address, and names every link once', () => {
    expect(new Set(plan.outstations.map(({ protocol }) => protocol)).size).toBe(3)
    for (const one of plan.outstations) expect(findOutstation(plan, one.protocol, one.address)).toBe(one)
    const ids = listLinks(plan).map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('is the same plan for the same network', () => {
    expect(planTelecontrol(findCase(name))).toBe(plan)
  })
})

it('planTelecontrol() gives each device of 300 buses an address of its kind', () => {
  const buses = Array.from({ length: 300 }, (_, at) => ({ id: at + 1, area: 1, baseKv: 110, x: 0, y: 0 }))
  const [branch] = findCase('case9').branches
  if (branch === undefined) throw new Error('case9 has no branch')
  const branches = buses.slice(1).map(({ id }, at) => ({ ...branch, number: at + 1, from: id - 1, to: id }))
  const { outstations, ieds } = planTelecontrol({ ...findCase('case9'), buses, branches })
  const hosts = [...outstations, ...ieds].map(({ host }) => host)
  expect(new Set(hosts.map(({ ip }) => ip)).size).toBe(hosts.length)
  const octets = hosts.flatMap(({ ip }) => ip.split('.').map(Number))
  expect(Math.max(...octets)).toBeLessThan(255)
  const addresses = [...hosts.map(({ mac }) => mac), ...ieds.map(({ destination }) => destination)]
  expect(addresses.filter((mac) => !/^(?:[0-9a-f]{2}:){5}[0-9a-f]{2}$/.test(mac))).toEqual([])
  expect(new Set(addresses).size).toBe(addresses.length)
  expect(ieds.at(-1)?.destination).toBe('01:0c:cd:01:01:2b')
})

describe('branchNames()', () => {
  it('numbers the second circuit between two buses', () => {
    const names = [...branchNames(findCase('case118')).values()]
    expect(names).toContain('42-49')
    expect(names).toContain('42-49-2')
    expect(new Set(names).size).toBe(names.length)
  })
})
