/** Both layers as one snapshot. */

import { describe, expect, it } from 'vitest'
import { describeTopology } from '#grid/interface/topology.ts'
import { enable, runSteps, startWorld } from '../../support/grid-session.ts'

describe('describeTopology()', () => {
  it('has nodes with distinct ids, and links that all end at them', () => {
    const { nodes, links, format, version } = describeTopology(startWorld())
    const ids = new Set(nodes.map(({ id }) => id))
    expect([format, version, ids.size]).toEqual(['GridSecSim', 2, nodes.length])
    for (const { src_id, dst_id } of links) expect([ids.has(src_id), ids.has(dst_id)]).toEqual([true, true])
    for (const { level, port } of nodes) {
      expect(level).toBeGreaterThanOrEqual(0)
      expect(port).toBeGreaterThanOrEqual(0)
    }
  })

  it('shows attackers as nodes on the links that they touch', () => {
    const world = startWorld()
    enable(world, 'NOISE', { target_link: 'PMU-2--PDC' })
    const { nodes, links, simulation } = describeTopology(world)
    const threat = nodes.find(({ node_type }) => node_type === 'THREAT_AGENT')
    expect(threat).toMatchObject({ id: 'NOISE-1', level: -1, attack_type: 'NOISE', active: true })
    expect(links.filter(({ threat_agent_ids }) => threat_agent_ids.length > 0).map(({ id }) => id)).toEqual([
      'PMU-2--PDC',
    ])
    expect(simulation).toMatchObject({ type: 'NOISE', enabled: true, scope: 'selected', selected_link: 'PMU-2--PDC' })
  })

  it('carries live values of the grid', () => {
    const world = startWorld()
    enable(world, 'GOOSE_TRIP_SPOOF')
    runSteps(world, 20)
    const { grid } = describeTopology(world)
    const read = JSON.parse(JSON.stringify(grid))
    expect(read.buses).toHaveLength(14)
    expect(read.buses[0].vm_pu).toBeCloseTo(1.06, 3)
    expect(read.branches[0]).toMatchObject({ name: '1-2', closed: false, from_mw: 0 })
    expect(read.breakers[0]).toEqual({ id: 'CB-1-2', branch: 1, state: 'open' })
  })
})
