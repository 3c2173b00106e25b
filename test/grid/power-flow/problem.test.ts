/** A network made ready: injections in per unit and the kind of every bus, counted by hand. */

import { describe, expect, it } from 'vitest'
import type { Network } from '#grid/network/network.ts'
import { kind, prepare } from '#grid/power-flow/problem.ts'
import { must } from '../../support/must.ts'
import { twoBusNetwork } from '../../support/two-bus-network.ts'

const machine = must(twoBusNetwork.generators[0])
const line = must(twoBusNetwork.branches[0])

/** Two buses with a machine at each, as changed. */
function pair(change: Partial<Network> = {}): Network {
  const second = { ...machine, bus: 2, pMw: 40, vSetpointPu: 1.05 }
  return { ...twoBusNetwork, generators: [machine, second], ...change }
}

describe('prepare()', () => {
  it('sums machines less loads at each bus, on the base of the network', () => {
    const loads = [
      { bus: 2, pMw: 100, qMvar: 30 },
      { bus: 2, pMw: 25, qMvar: -5 },
    ]
    const { p, q } = prepare(pair({ loads, baseMva: 50 }), {})
    expect([...p]).toEqual([2, -1.7])
    expect([...q]).toEqual([0, -0.5])
  })

  it('gives P and V at a bus with a machine, P and Q at one without, and the voltage at the slack', () => {
    const known = prepare(twoBusNetwork, {})
    expect([...known.kinds]).toEqual([kind.slack, kind.pq])
    const held = prepare(pair(), {})
    expect([...held.kinds]).toEqual([kind.slack, kind.pv])
    expect([...held.setpoints]).toEqual([1, 1.05])
  })

  it('leaves a machine that is out of service out of everything', () => {
    const [first, second] = pair().generators
    if (first === undefined || second === undefined) throw new Error('expected two machines')
    const { kinds, p, setpoints } = prepare(pair({ generators: [first, { ...second, inService: false }] }), {})
    expect([...kinds]).toEqual([kind.slack, kind.pq])
    expect([...p]).toEqual([1, -1])
    expect([...setpoints]).toEqual([1, 1])
  })

  it('makes a bus that no machine feeds dead: no injection, no voltage, the angle 0', () => {
    const network = { ...twoBusNetwork, slackAngleDeg: 90, branches: [{ ...line, inService: false }] }
    const { kinds, p, q, setpoints, flatAngles } = prepare(network, {})
    expect([...kinds]).toEqual([kind.slack, kind.dead])
    expect([p[1], q[1], setpoints[1], flatAngles[1]]).toEqual([0, 0, 0, 0])
    expect([...flatAngles]).toEqual([Math.PI / 2, 0])
  })

  it('gives each of two islands with machines a slack', () => {
    const split = prepare(pair({ branches: [{ ...line, inService: false }] }), {})
    expect([...split.kinds]).toEqual([kind.slack, kind.slack])
  })
})
