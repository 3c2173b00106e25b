/** The attacks snapshot: the newest attack in the contract's fields, then the one that ended last. */

import { describe, expect, it } from 'vitest'
import type { ActiveAttack } from '#grid/contract/attacks.ts'
import { combineAttacks, describeAttacks, idleTotals } from '#grid/interface/snapshot.ts'
import { applyCommand } from '#grid/step/apply-command.ts'
import { enable, startTime, startWorld } from '../../support/grid-session.ts'

const totals = { total_packets: 9, modified_packets: 4, dropped_packets: 2 }

const one: ActiveAttack = {
  attack_id: 'NOISE-1',
  type: 'NOISE',
  enabled: true,
  params: { sigma: 1 },
  schedule: { start_frame: 3, duration_frames: 5 },
  stats: { total_packets: 1, modified_packets: 1, dropped_packets: 0 },
  technique: null,
  since: 12,
}
const other: ActiveAttack = { ...one, attack_id: 'DROP-2', type: 'DROP', since: 20 }

describe('combineAttacks()', () => {
  it('shows the newest attack in the fields, all of them in the list, and the totals of all messages', () => {
    const { attack_id: _, ...newest } = other
    expect(combineAttacks(totals, [one, other], undefined)).toEqual({ ...totals, ...newest, active: [one, other] })
  })

  it('shows the attack that ended last only when none is enabled', () => {
    const ended = { ...other, enabled: false }
    expect(combineAttacks(totals, [one], ended)).toMatchObject({ type: 'NOISE', enabled: true })
    expect(combineAttacks(totals, [], ended)).toMatchObject({ type: 'DROP', enabled: false, since: 20, active: [] })
  })

  it('without any attack shows NONE, with the totals in both places', () => {
    const idle = combineAttacks(totals, [], undefined)
    expect(idle).toMatchObject({ ...totals, stats: totals })
    expect(idle).toMatchObject({ type: 'NONE', enabled: false, technique: null, since: null, active: [] })
  })
})

describe('describeAttacks()', () => {
  it('describes each enabled attack with its technique and the second since which it is enabled', () => {
    const world = startWorld()
    enable(world, 'DROP', { drop_percent: 20 })
    world.step += 25
    enable(world, 'NOISE')
    world.totals = totals
    const snapshot = describeAttacks(world)
    expect(snapshot).toMatchObject({ ...totals, type: 'NOISE', enabled: true, since: startTime + 2.5 })
    expect(snapshot.active).toMatchObject([
      {
        attack_id: 'DROP-1',
        type: 'DROP',
        enabled: true,
        params: { drop_percent: 20 },
        technique: { id: 'T1691.002' },
        since: startTime,
        stats: { total_packets: 0, modified_packets: 0, dropped_packets: 0 },
      },
      { attack_id: 'NOISE-2', type: 'NOISE', technique: { id: 'T1692.002' } },
    ])
  })

  it('keeps the type and the counters of the last attack after it ended, with enabled false', () => {
    const world = startWorld()
    enable(world, 'DROP')
    world.attacks = world.attacks.map((state) => ({ ...state, counters: totals }))
    applyCommand(world, { kind: 'disable', step: world.step, attackIds: ['DROP-1'] })
    expect(describeAttacks(world)).toMatchObject({ type: 'DROP', enabled: false, stats: totals, active: [] })
  })

  it('of a new session is the idle snapshot', () => {
    expect(describeAttacks(startWorld())).toEqual(combineAttacks(idleTotals, [], undefined))
  })
})
