/** Stacks of hosts: they follow from the seed, differ, and count identifications in a circle. */

import { describe, expect, it } from 'vitest'
import { acknowledgmentDelayUs, findStack, takeIdentification } from '#grid/link/ip-stack.ts'

const outstations = Array.from({ length: 118 }, (_, at) => `10.20.1.${at + 1}`)

describe('findStack()', () => {
  it('gives each outstation of a seed one stack, and the outstations of a network all kinds', () => {
    const kinds = (seed: number) => outstations.map((ip) => JSON.stringify(findStack({ seed }, ip)))
    expect(kinds(7)).toEqual(kinds(7))
    expect(kinds(7)).not.toEqual(kinds(8))
    expect(new Set(kinds(7)).size).toBe(7)
    for (const kind of kinds(7)) expect(kinds(7).filter((other) => other === kind).length).toBeLessThan(40)
  })

  it('lets no host of the control centre have a window that its outstations could fill', () => {
    for (let seed = 0; seed < 50; seed++) expect(findStack({ seed }, '10.20.0.10').window).toBeGreaterThan(29_000)
  })
})

describe('takeIdentification()', () => {
  it('counts for each host by itself, from a number that follows from the seed, up to 65535 and then from 1', () => {
    const hosts = { seed: 3, identifications: { a: 65_534 } as Record<string, number> }
    expect(['a', 'a', 'a'].map((ip) => takeIdentification(hosts, ip))).toEqual([65_535, 1, 2])
    const first = '10.20.1.1'
    const begun = [3, 3, 4].map((seed) => takeIdentification({ seed, identifications: {} }, first))
    expect(begun[0]).toBe(begun[1])
    expect(begun[0]).not.toBe(begun[2])
    expect(takeIdentification(hosts, first)).toBe(begun[0])
    expect(takeIdentification(hosts, first)).toBe(((begun[0] ?? 0) % 0xffff) + 1)
  })
})

describe('acknowledgmentDelayUs()', () => {
  it('lies within what the stack says, and is not the same twice', () => {
    for (const ip of outstations) {
      const [least, most] = findStack({ seed: 5 }, ip).acknowledgeUs
      const delays = Array.from({ length: 40 }, (_, at) => acknowledgmentDelayUs({ seed: 5 }, ip, at * 2_000_123))
      for (const delay of delays) expect(delay >= least && delay < most).toBe(true)
      expect(new Set(delays).size).toBeGreaterThan(35)
    }
  })
})
