import { describe, expect, it } from 'vitest'
import { assertAllowed } from '#gateway/access.ts'
import { assertDistinct, fullGrant, makeOperatorGrant, parseGrants } from '#gateway/tokens.ts'

const address = `0x${'ab'.repeat(20)}`
const streamId = `st${'0'.repeat(30)}`
const token = 'a-token-of-20-letters'
const grants = (...scopes: readonly unknown[]) => parseGrants(JSON.stringify([{ name: 'n', token, scopes }]))

describe('parseGrants()', () => {
  it('reads scopes for all streams, a namespace, a stream and the system', () => {
    const [grant] = grants(
      'read',
      `write:${address.toUpperCase().replace('0X', '0x')}`,
      `read:${address}/${streamId}`,
      'write:system',
    )
    expect(grant?.scopes).toEqual([
      { verb: 'read', area: '*' },
      { verb: 'write', area: address },
      { verb: 'read', area: `${address}/${streamId}` },
      { verb: 'write', area: 'system' },
    ])
  })

  it('reads a scope for a composed stream as a whole', () => {
    const [grant] = grants(`read:${address}/${streamId}/composed`)
    expect(grant?.scopes).toEqual([{ verb: 'read', area: `${address}/${streamId}`, isComposed: true }])
  })

  it.each([
    ['no JSON', '['],
    ['no list', '{}'],
    ['an entry without a name', JSON.stringify([{ token, scopes: ['read'] }])],
    ['a short token', JSON.stringify([{ name: 'n', token: 'short', scopes: ['read'] }])],
    ['no scopes', JSON.stringify([{ name: 'n', token, scopes: [] }])],
    ['an unknown verb', JSON.stringify([{ name: 'n', token, scopes: ['admin'] }])],
    ['an area that is none', JSON.stringify([{ name: 'n', token, scopes: ['read:0x12'] }])],
    ['a namespace as composed', JSON.stringify([{ name: 'n', token, scopes: [`read:${address}/composed`] }])],
    [
      'a composed stream to write',
      JSON.stringify([{ name: 'n', token, scopes: [`write:${address}/${streamId}/composed`] }]),
    ],
    ['three parts', JSON.stringify([{ name: 'n', token, scopes: [`read:${address}/${streamId}/x`] }])],
  ])('refuses %s, and repeats no token', (_, text) => {
    expect(() => parseGrants(text)).toThrow(expect.objectContaining({ code: 'invalid_settings' }))
    expect(() => parseGrants(text)).not.toThrow(token)
  })

  it('takes tokens from 16 characters on', () => {
    const grantOf = (length: number) =>
      parseGrants(JSON.stringify([{ name: 'n', token: 'x'.repeat(length), scopes: ['read'] }]))
    expect(grantOf(16)[0]?.token).toHaveLength(16)
    expect(() => grantOf(15)).toThrow('expected at least 16 characters')
  })
})

describe('makeOperatorGrant()', () => {
  it('has a name that no token of the gateway can have, whose idempotency keys would be its own', () => {
    const { name } = makeOperatorGrant('ann', { isReadOnly: false })
    expect(() => parseGrants(JSON.stringify([{ name, token, scopes: ['write'] }]))).toThrow(
      '[0].name begins with "operator:", which is for the names of SLUICE_TOKENS',
    )
  })
})

describe('assertDistinct()', () => {
  const grant = (name: string, secret: string) =>
    parseGrants(JSON.stringify([{ name, token: secret, scopes: ['read'] }]))

  it('refuses two tokens of one name, whose idempotency keys would be one, and repeats neither', () => {
    const same = [...grant('n', token), ...grant('n', `${token}2`)]
    expect(() => assertDistinct(same)).toThrow(/the name "n" is used twice/)
    expect(() => assertDistinct(same)).not.toThrow(token)
    expect(() => assertDistinct([fullGrant(token), ...grant('full', `${token}2`)])).toThrow(
      '"full" is the name of STREAMNET_TOKEN',
    )
  })

  it('refuses one token of two names, and takes what differs', () => {
    expect(() => assertDistinct([...grant('a', token), ...grant('b', token)])).toThrow(/token of another/)
    expect(() => assertDistinct([...grant('a', token), ...grant('b', `${token}2`)])).not.toThrow()
  })
})

describe('assertAllowed()', () => {
  const allows = (scope: string, verb: 'read' | 'write', ...areas: readonly string[]) => {
    const [grant] = grants(scope)
    if (grant === undefined) throw new Error('no grant')
    try {
      assertAllowed(grant, verb, areas)
      return true
    } catch {
      return false
    }
  }

  it('requires every area to be covered by a scope of the same verb', () => {
    const stream = `${address}/${streamId}`
    expect(allows('read', 'read', stream, '*')).toBe(true)
    expect(allows('read', 'write', stream)).toBe(false)
    expect(allows(`read:${address}`, 'read', stream, address)).toBe(true)
    expect(allows(`read:${address}`, 'read', stream, 'system')).toBe(false)
    expect(allows(`read:${address}/${streamId}`, 'read', address)).toBe(false)
    expect(allows('read:system', 'read', '*')).toBe(false)
  })

  it('allows operations without an area to any token with the verb', () => {
    expect(allows('read:system', 'read')).toBe(true)
    expect(allows('read:system', 'write')).toBe(false)
    expect(() => assertAllowed(fullGrant(token), 'write', ['*', address])).not.toThrow()
  })
})
