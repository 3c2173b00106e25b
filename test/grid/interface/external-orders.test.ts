/** Orders about attacks that are passed on to an outside simulator, and time stamps of its packets. */

import { describe, expect, it } from 'vitest'
import { parseAttackEnable } from '#grid/interface/attack-requests.ts'
import { type ExternalState, emptyExternal, maximumActive } from '#grid/interface/external.ts'
import { expectOnTime, passOnDisable, passOnEnable } from '#grid/interface/external-orders.ts'
import { startWorld } from '../../support/grid-session.ts'

const nowMs = 1_764_000_000_000
const world = startWorld()

function pass(state: ExternalState, body: Record<string, unknown>, hasHook = true) {
  return passOnEnable(state, world, parseAttackEnable(body), { hasHook, nowMs })
}

/** A state after orders of these types. */
function stateWith(...types: readonly string[]): ExternalState {
  return types.reduce((state, type) => pass(state, { type }).state, emptyExternal)
}

describe('expectOnTime()', () => {
  const batch = (...ages: readonly number[]) => ({
    source: 'lab',
    seq: 1,
    rejected: [],
    packets: ages.map((age) => ({ timestamp: nowMs / 1000 + age, protocol: 'DNP3', status: 'clean' })),
  })

  it.each([[[]], [[0]], [[-1e9, 300]]])('takes packets %j seconds ahead', (ages) => {
    expect(() => expectOnTime(batch(...ages), nowMs)).not.toThrow()
  })

  it('refuses the whole batch for one packet more than five minutes ahead', () => {
    expect(() => expectOnTime(batch(0, 300.5), nowMs)).toThrow(
      'Cannot ingest packets: timestamp 1764000300.5 lies in the future',
    )
  })
})

describe('passOnEnable()', () => {
  it('enables nothing without a hook', () => {
    const { state, result, attack } = pass(emptyExternal, { type: 'NOISE' }, false)
    expect([state, attack]).toEqual([emptyExternal, undefined])
    expect(result).toMatchObject({ success: false, error: 'No attack hook is connected' })
  })

  it('completes the parameters of a type of the catalogue', () => {
    const { result } = pass(emptyExternal, { type: ' noise ', params: { noise_std: 3 } })
    expect(result).toMatchObject({
      success: true,
      attack_type: 'NOISE',
      attack_id: 'NOISE-1',
      effective_params: { noise_std: 3, add_freq_noise: false },
    })
  })

  it('passes parameters of other types, and wrong ones, on as they are', () => {
    expect(pass(emptyExternal, { type: 'LAB', params: { depth: [1, { x: null }] } }).result).toMatchObject({
      success: true,
      effective_params: { depth: [1, { x: null }] },
    })
    expect(pass(emptyExternal, { type: 'NOISE', params: { noise_std: 'loud' } }).result.effective_params).toEqual({
      noise_std: 'loud',
    })
  })

  it.each([
    ['beside the parameters', { schedule: { start_frame: 20 }, target_link: 'ems', seed: 7 }, {}],
    ['among them', {}, { schedule: { start_frame: 20, duration_frames: 0 }, target_link: 'rtu-1', seed: 7 }],
  ])('passes schedule, target_link and seed on, %s', (_, beside, among) => {
    const { attack, result } = pass(emptyExternal, { type: 'NOISE', params: { ...among }, ...beside })
    const { target_link } = { ...among, ...beside } as { target_link: string }
    expect(attack?.params).toMatchObject({ noise_std: expect.any(Number), target_link, seed: 7 })
    expect([attack?.schedule, result.schedule]).toEqual(
      Array.from({ length: 2 }, () => ({ start_frame: 20, duration_frames: 0 })),
    )
  })

  it('passes a schedule on with its own type, and leaves what is among its parameters there', () => {
    const schedule = { start_frame: 1, duration_frames: 5 }
    const { attack } = pass(emptyExternal, { type: 'LAB', params: { schedule: 'nightly' }, schedule })
    expect(attack).toMatchObject({ params: { schedule: 'nightly' }, schedule })
  })

  it('enables nothing by a schedule that is not one', () => {
    const { state, result } = pass(emptyExternal, { type: 'LAB', schedule: { start_frame: -1 } })
    expect(state).toBe(emptyExternal)
    expect(result).toMatchObject({ success: false, hint: expect.stringContaining('start_frame') })
    expect(result.errors).toEqual([expect.stringContaining('schedule.start_frame')])
  })

  it('numbers orders for the life of the session, and replaces an attack of the same type', () => {
    const state = stateWith('LAB', 'NOISE', 'LAB')
    expect(state.orders).toBe(3)
    expect(state.active.map(({ attack_id }) => attack_id)).toEqual(['NOISE-2', 'LAB-3'])
    expect(state.active.map(({ since }) => since)).toEqual([nowMs / 1000, nowMs / 1000])
  })

  it('takes as many types as there is room for, and then only those that are active', () => {
    const full = stateWith(...Array.from({ length: maximumActive }, (_, index) => `LAB${index}`))
    const refused = pass(full, { type: 'ONE_MORE' })
    expect(refused.state).toBe(full)
    expect(refused.result).toMatchObject({ success: false, error: `${maximumActive} attacks are active already` })
    expect(pass(full, { type: 'LAB3' }).result).toMatchObject({ success: true })
  })
})

describe('passOnDisable()', () => {
  it.each([
    [{}, ['LAB-1', 'NOISE-2'], [], 'All attacks disabled'],
    [{ type: 'LAB' }, ['LAB-1'], ['NOISE-2'], '1 attacks disabled'],
    [{ attack_id: 'NOISE-2' }, ['NOISE-2'], ['LAB-1'], '1 attacks disabled'],
    [{ type: 'LAB', attack_id: 'NOISE-2' }, [], ['LAB-1', 'NOISE-2'], '0 attacks disabled'],
  ])('of %j ends %j', (request, disabled, left, message) => {
    const { state, result } = passOnDisable(stateWith('LAB', 'NOISE'), request)
    expect(result).toEqual({ success: true, message, disabled })
    expect(state.active.map(({ attack_id }) => attack_id)).toEqual(left)
  })

  it('ends nothing, and keeps the state, for a body with mistakes', () => {
    const before = stateWith('LAB')
    const { state, result } = passOnDisable(before, { mistakes: ['type is 5, expected a text'] })
    expect(state).toBe(before)
    expect(result.disabled).toEqual([])
  })
})
