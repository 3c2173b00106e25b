/** Bodies that enable and disable attacks: what they may leave out, and which mistakes are refused or only listed. */

import { describe, expect, it } from 'vitest'
import { parseAttackDisable, parseAttackEnable } from '#grid/interface/attack-requests.ts'

describe('parseAttackEnable()', () => {
  it.each([
    [{ type: 'NOISE' }, { type: 'NOISE', params: {} }],
    [
      { type: ' noise ', params: { a: 1 } },
      { type: ' noise ', params: { a: 1 } },
    ],
    [
      { type: 'X', seed: null, target_link: 7, schedule: [] },
      { type: 'X', params: {}, seed: null, target_link: 7, schedule: [] },
    ],
    [
      { type: 'X', param: {}, sed: 1 },
      { type: 'X', params: {}, unknown: ['param', 'sed'] },
    ],
  ])('reads %j', (body, request) => {
    expect(parseAttackEnable(body)).toEqual(request)
  })

  it.each([
    ['Request body must be a JSON object', []],
    ['Request body must be a JSON object', null],
    ["Missing 'type' field", {}],
    ["Missing 'type' field", { type: '  ' }],
    ["Missing 'type' field", { type: 5 }],
    ['params must be a JSON object', { type: 'X', params: [] }],
    ['params must be a JSON object', { type: 'X', params: null }],
  ])('refuses with "%s" the body %j', (message, body) => {
    expect(() => parseAttackEnable(body)).toThrow(expect.objectContaining({ code: 'invalid_request', message }))
  })

  it('hints at a misspelled name, or at why the body cannot be read', () => {
    const hint = (body: unknown, unread?: string) => {
      try {
        return parseAttackEnable(body, unread)
      } catch (error) {
        return (error as { hint: string }).hint
      }
    }
    expect(hint({ typ: 'X' })).toMatch(/^Did you mean "type" where the body says "typ"\? /)
    expect(hint({}, 'it is not valid JSON')).toMatch(/^The body cannot be read: it is not valid JSON\. /)
  })
})

describe('parseAttackDisable()', () => {
  it('lists ten misspelled names at most', () => {
    const body = Object.fromEntries(
      Array.from({ length: 26 }, (_, at) => [`type${String.fromCharCode(97 + at)}`, 'NOISE']),
    )
    expect(parseAttackDisable(body).mistakes).toHaveLength(10)
  })

  it.each([
    [undefined, {}],
    [{}, {}],
    [{ type: ' noise ' }, { type: 'NOISE' }],
    [{ attack_id: 'noise-1', note: 'end of the drill' }, { attack_id: 'noise-1' }],
  ])('reads %j', (body, request) => {
    expect(parseAttackDisable(body)).toEqual(request)
  })

  it.each([
    [[], ['the body is not a JSON object']],
    [{ type: '' }, ['type is "", expected a text']],
    [{ type: 5, attack_id: null }, ['type is 5, expected a text', 'attack_id is null, expected a text']],
    [{ atack_id: 'x' }, ['unknown property "atack_id", did you mean "attack_id"?']],
  ])('lists the mistakes of %j and ends nothing', (body, mistakes) => {
    expect(parseAttackDisable(body)).toEqual({ mistakes })
  })
})
