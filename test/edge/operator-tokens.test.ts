import { describe, expect, it } from 'vitest'
import { maxNamedTokens } from '#base/named-tokens.ts'
import { isOperatorAllowed, parseOperatorTokens } from '#edge/operator-tokens.ts'
import { must } from '../support/must.ts'
import { refusal } from '../support/refusal.ts'

const token = 'a-token-of-an-operator'
const parse = (...entries: readonly unknown[]) => parseOperatorTokens(JSON.stringify(entries))

describe('parseOperatorTokens()', () => {
  it('reads tokens and hashes with their scopes', () => {
    const sha256 = 'AB'.repeat(32)
    expect(
      parse({ name: 'ops', token, scopes: ['*'] }, { name: 'mon', sha256, scopes: ['metrics', 'grid:read'] }),
    ).toEqual([
      { name: 'ops', secret: { token }, scopes: [{ area: '*', isReadOnly: false }] },
      {
        name: 'mon',
        secret: { sha256: 'ab'.repeat(32) },
        scopes: [
          { area: 'metrics', isReadOnly: false },
          { area: 'grid', isReadOnly: true },
        ],
      },
    ])
    expect(parseOperatorTokens('')).toEqual([])
  })

  it.each([
    ['it is not JSON', '{'],
    ['it is not a list', '{}'],
    ['[0].name is missing', JSON.stringify([{ token, scopes: ['*'] }])],
    ['exactly one of "token" and "sha256"', JSON.stringify([{ name: 'a', scopes: ['*'] }])],
    ['[0].sha256 is not a hash', JSON.stringify([{ name: 'a', sha256: 'ab', scopes: ['*'] }])],
    ['[0].token is short', JSON.stringify([{ name: 'a', token: 'short', scopes: ['*'] }])],
    ['[0].scopes is missing', JSON.stringify([{ name: 'a', token }])],
    ['perhaps gateway', JSON.stringify([{ name: 'a', token, scopes: ['gatway'] }])],
    ['holds "grid:write"', JSON.stringify([{ name: 'a', token, scopes: ['grid:write'] }])],
    ['has the name of another', JSON.stringify([1, 2].map((at) => ({ name: 'a', token: token + at, scopes: ['*'] })))],
    ['has the token of another', JSON.stringify(['a', 'b'].map((name) => ({ name, token, scopes: ['*'] })))],
  ])('says what is wrong and shows no token: %s', (words, text) => {
    const message = messageOf(() => parseOperatorTokens(text))
    expect(message).toContain(words)
    expect(message).not.toContain(token)
  })

  it('takes no more entries than its bound', () => {
    const entries = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ name: `n${at}`, token: `${token}-${at}`, scopes: ['*'] }))
    expect(parse(...entries(maxNamedTokens))).toHaveLength(maxNamedTokens)
    expect(() => parse(...entries(maxNamedTokens + 1))).toThrow('101 entries')
  })
})

describe('isOperatorAllowed()', () => {
  it('lets a scope cover its area, and :read only what reads', () => {
    const allowed = (scope: string, area: 'grid' | 'node', isReading: boolean) =>
      isOperatorAllowed(parse({ name: 'a', token, scopes: [scope] })[0]?.scopes ?? [], area, { isReading })
    expect([allowed('*', 'grid', false), allowed('grid', 'grid', false)]).toEqual([true, true])
    expect([allowed('grid:read', 'grid', true), allowed('grid:read', 'grid', false)]).toEqual([true, false])
    expect([allowed('*:read', 'node', true), allowed('*:read', 'node', false)]).toEqual([true, false])
    expect([allowed('grid', 'node', true), allowed('metrics', 'grid', true)]).toEqual([false, false])
  })
})

const messageOf = (body: () => unknown) => must(refusal(Error, body)).message
