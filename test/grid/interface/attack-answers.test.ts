/** Requests about attacks: the order and the answer that each comes to. */

import { describe, expect, it } from 'vitest'
import { attacks } from '#grid/attacks/catalogue.ts'
import { parameterMistake } from '#grid/attacks/params.ts'
import { GridError } from '#grid/errors.ts'
import { disableNothing, planDisable, planEnable, refuseAttack, refuseOrder } from '#grid/interface/attack-answers.ts'
import { parseAttackEnable } from '#grid/interface/attack-requests.ts'
import { enable, startWorld } from '../../support/grid-session.ts'

/** Plans the enable request of a body in a new session. */
function plan(body: Record<string, unknown>, isStopped = false) {
  return planEnable(startWorld({ iec61850: 2 }), parseAttackEnable(body), isStopped)
}

function sessionWith(...types: readonly string[]) {
  const world = startWorld()
  for (const type of types) enable(world, type)
  return world
}

describe('planEnable()', () => {
  it.each(attacks.map(({ type }) => type))('plans %s with its defaults, under the first number', (type) => {
    const planned = plan({ type })
    if (!planned.ok) return expect.fail(planned.result.error)
    const { order, result } = planned
    expect(order).toMatchObject({ type, attack_id: `${type}-1`, params: result.effective_params })
    expect(result).toMatchObject({ success: true, attack_type: type, attack_id: `${type}-1` })
    expect(result.schedule).toEqual({ start_frame: 0, duration_frames: 0 })
    expect(result).toMatchObject({ technique: { id: expect.stringMatching(/^T\d{4}/) } })
    expect(result).not.toHaveProperty('hint')
    expect(result).not.toHaveProperty('warnings')
  })

  it('counts on from the attacks of the session, ended ones included', () => {
    const world = sessionWith('NOISE', 'RAMP', 'NOISE')
    const planned = planEnable(world, parseAttackEnable({ type: 'drop' }), false)
    expect(planned.result).toMatchObject({ attack_type: 'DROP', attack_id: 'DROP-4' })
  })

  it('hints for a stopped simulation when the attack acts', () => {
    expect(plan({ type: 'NOISE' }, true).result).toMatchObject({
      success: true,
      hint: 'The simulation is stopped; the attack acts once it runs: POST /api/v1/sim/start',
    })
  })

  it('refuses an unknown type, and names the nearest one', () => {
    const { ok, result } = plan({ type: 'NOIS' })
    expect(ok).toBe(false)
    expect(result).toMatchObject({ success: false, error: 'Unknown attack type "NOIS", did you mean "NOISE"?' })
  })

  it('refuses a parameter beside "params", because it would have no effect there', () => {
    const { ok, result } = plan({ type: 'NOISE', noise_std: 2 })
    expect(ok).toBe(false)
    expect(result.errors).toEqual(['Parameter "noise_std" is given as "noise_std" beside "params", expected inside it'])
  })

  it('refuses a misspelled field of the request', () => {
    const { ok, result } = plan({ type: 'NOISE', shedule: {} })
    expect(ok).toBe(false)
    expect(result.errors).toEqual(['Unknown property "shedule", did you mean "schedule"?'])
  })

  it('warns of any other unknown property, of ten at most', () => {
    const others = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`zzzzzz${index}qqqq`, 1]))
    const { ok, result } = plan({ type: 'NOISE', ...others })
    expect(ok).toBe(true)
    expect(result.warnings).toHaveLength(10)
    expect(result.warnings?.[0]).toBe('Unknown property "zzzzzz0qqqq" was ignored')
  })
})

describe('refuseAttack()', () => {
  it('gives the first mistake, all of them, and a hint only where there is one', () => {
    const mistakes = [parameterMistake('noise_std', 'is one'), { path: '', message: 'two' }]
    expect(refuseAttack('NOISE', mistakes, 'look')).toEqual({
      success: false,
      attack_type: 'NOISE',
      error: 'Parameter "noise_std" is one',
      errors: ['Parameter "noise_std" is one', 'two'],
      mistakes: [
        { path: 'params.noise_std', message: 'Parameter "noise_std" is one' },
        { path: '', message: 'two' },
      ],
      hint: 'look',
    })
    expect(refuseAttack('NOISE', [], undefined)).toEqual({
      success: false,
      attack_type: 'NOISE',
      error: 'Invalid attack',
      errors: [],
      mistakes: [],
    })
  })
})

describe('refuseOrder()', () => {
  it('turns the error of the engine into an answer', () => {
    const error = new GridError('too_many', 'Cannot take the order: full', { hint: 'reset' })
    expect(refuseOrder('NOISE', error)).toMatchObject({
      success: false,
      error: 'Cannot take the order: full',
      hint: 'reset',
    })
  })
})

describe('planDisable()', () => {
  it.each([
    [{}, ['NOISE-1', 'RAMP-2'], 'All attacks disabled'],
    [{ type: 'RAMP' }, ['RAMP-2'], '1 attacks disabled'],
    [{ attack_id: 'NOISE-1' }, ['NOISE-1'], '1 attacks disabled'],
    [{ type: 'RAMP', attack_id: 'NOISE-1' }, [], '0 attacks disabled'],
  ])('of %j ends %j', (request, disabled, message) => {
    const result = planDisable(sessionWith('NOISE', 'RAMP'), request)
    expect([result.success, result.disabled, result.message]).toEqual([true, disabled, message])
  })

  it('names what is active where nothing ended, and what is wrong with the type', () => {
    const world = sessionWith('NOISE')
    expect(planDisable(world, { type: 'RAMP' })).toMatchObject({ message: '0 attacks disabled', hint: 'Active: NOISE' })
    expect(planDisable(world, { attack_id: 'RAMP-9' }).hint).toBe('Active: NOISE-1')
    expect(planDisable(world, { type: 'RMAP' }).message).toBe(
      '0 attacks disabled: Unknown attack type "RMAP", did you mean "RAMP"?',
    )
    expect(planDisable(startWorld(), { type: 'RAMP' }).hint).toBe('No attack is active')
  })

  it('ends nothing for a body with mistakes', () => {
    const mistakes = ['type is 5, expected a text']
    const result = planDisable(sessionWith('NOISE'), { mistakes })
    expect(result).toEqual(disableNothing(mistakes))
    expect(result).toMatchObject({ success: true, disabled: [], message: `0 attacks disabled: ${mistakes[0]}` })
  })
})
