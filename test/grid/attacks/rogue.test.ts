/** Connections of an attacker's host, and breaker commands in the protocol of each outstation. */

import { describe, expect, it } from 'vitest'
import { encodeHex } from '#base/hex.ts'
import type { ForgeScene } from '#grid/attacks/definition.ts'
import { actUs, commandBreaker, openRogue, rogueId } from '#grid/attacks/rogue.ts'
import { openScene } from '#grid/channel/attackers.ts'
import { contextOf } from '../../support/grid-context.ts'
import { enable, startWorld } from '../../support/grid-session.ts'
import { must } from '../../support/must.ts'

const technique = { id: 'T1692.001', legacy_id: 'T0855', name: 'Command', tactic: 'impair-process-control' }

/** A step with one attack enabled, its scene, and an outstation. */
function attacking(node: string) {
  const world = startWorld()
  enable(world, 'DROP')
  const context = contextOf(world)
  const scene: ForgeScene<unknown> = openScene(context, must(world.attacks[0]), '')
  const outstation = must(context.plan.outstations.find((one) => one.node === node))
  return { world, context, scene, outstation }
}

describe('rogueId()', () => {
  it('differs by link and by attack', () => {
    const { outstation } = attacking('RTU-2')
    expect(rogueId('ORDER-3', outstation)).toBe('CC--RTU-2#ORDER-3')
  })
})

describe('openRogue()', () => {
  it.each([
    ['RTU-1', 2404],
    ['RTU-2', 20_000],
    ['RTU-3', 502],
  ])('shakes hands with %s from the attacker host, 60 ms into the step, to port %d', (node, port) => {
    const { world, context, scene, outstation } = attacking(node)
    const connection = openRogue(scene, outstation, 'DROP', technique)
    expect(connection).toMatchObject({
      id: `CC--${node}#DROP-1`,
      link: `CC--${node}`,
      clientNode: 'THREAT',
      serverNode: node,
      flow: { phase: 'established', client: { ip: '10.20.0.66' }, server: { ip: outstation.host.ip, port } },
      label: { attack_id: 'DROP-1', attack_type: 'DROP', technique, changes: [] },
    })
    expect(connection.flow.client.port).toBeGreaterThanOrEqual(49_152)
    expect(world.connections[connection.id]).toBe(connection)
    expect(context.drafts.map(({ status }) => status)).toEqual(Array(3).fill('attacked'))
    const [first, second = 0, third = 0] = context.drafts.map(({ timeUs }) => timeUs - context.startUs)
    expect(first).toBe(actUs)
    for (const gap of [second - actUs, third - second]) expect([gap >= 90, gap < 270]).toEqual([true, true])
  })

  it('begins with STARTDT to an IEC 104 outstation, 1 ms later and as its own, and with nothing to others', () => {
    const [first, ...others] = ['RTU-1', 'RTU-2', 'RTU-3'].map((node) => {
      const { context, scene, outstation } = attacking(node)
      openRogue(scene, outstation, 'DROP', technique)
      return context
    })
    const { queue, startUs } = must(first)
    expect(queue).toMatchObject([
      { timeUs: startUs + actUs + 1_000, srcNode: 'THREAT', forged: { attackId: 'DROP-1' } },
    ])
    expect(encodeHex(queue[0]?.payload ?? new Uint8Array(0))).toBe('680407000000')
    expect(others.flatMap((context) => context.queue)).toEqual([])
  })

  it("draws from the attack's own stream, so that other streams give the same as without it", () => {
    const quiet = contextOf()
    const { context, scene, outstation } = attacking('RTU-2')
    openRogue(scene, outstation, 'DROP', technique)
    expect(context.random('connections').uint32()).toBe(quiet.random('connections').uint32())
  })
})

describe('commandBreaker()', () => {
  // Branch 1-2 begins at bus 1, 2-3 at bus 2, 3-4 at bus 3.
  it.each([
    ['RTU-2', 'CB-2-3', 1],
    ['RTU-3', 'CB-3-4', 1],
  ])('forges one command to %s, and names the breaker', (node, breaker, count) => {
    const { context, scene, outstation } = attacking(node)
    const connection = openRogue(scene, outstation, 'DROP', technique)
    const timeUs = context.startUs + actUs + 5_000
    commandBreaker(scene, connection, outstation, { index: 0, closed: false, timeUs: timeUs })
    const forged = { attackId: 'DROP-1', description: `Forged command: open ${breaker} at ${node}` }
    expect(context.queue).toHaveLength(count)
    expect(context.queue).toMatchObject([{ timeUs, purpose: 'command', srcNode: 'THREAT', forged }])
  })

  it('selects before it executes at an IEC 104 outstation that has confirmed the start', () => {
    const { context, scene, outstation } = attacking('RTU-1')
    const connection = openRogue(scene, outstation, 'DROP', technique)
    const { dialogue } = connection
    if (dialogue.protocol !== 'IEC104') throw new Error(`${dialogue.protocol} is not IEC104`)
    dialogue.client = { ...dialogue.client, isStarted: true }
    context.queue.length = 0
    commandBreaker(scene, connection, outstation, { index: 1, closed: true, timeUs: context.startUs })
    // C_SC_NA_1 with cause 6 to address 1002: SCO is 0x81 to select and close, 0x01 to close.
    expect(context.queue.map(({ payload }) => encodeHex(payload).slice(12))).toEqual([
      '2d0106000100' + 'ea0300' + '81',
      '2d0106000100' + 'ea0300' + '01',
    ])
    expect(context.queue.map(({ forged }) => forged?.description)).toEqual(
      Array(2).fill('Forged command: close CB-1-5 at RTU-1'),
    )
  })

  it('sends a command to a point that is not a breaker, by its number', () => {
    const { context, scene, outstation } = attacking('RTU-3')
    const connection = openRogue(scene, outstation, 'DROP', technique)
    commandBreaker(scene, connection, outstation, { index: 7, closed: true, timeUs: context.startUs })
    expect(context.queue[0]?.forged?.description).toBe('Forged command: close point 7 at RTU-3')
    expect(encodeHex(context.queue[0]?.payload ?? new Uint8Array(0)).slice(-10)).toBe('050007ff00')
  })
})
