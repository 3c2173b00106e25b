import { describe, expect, it } from 'vitest'
import { parseCallerTokens } from '#ratelimit/caller-tokens.ts'
import { readSettings } from '#ratelimit/settings.ts'

const [one, two] = ['0123456789abcdef', 'fedcba9876543210==']

describe('parseCallerTokens()', () => {
  it('reads names and tokens', () => {
    expect(parseCallerTokens(`envoy=${one}, web-1=${two}`)).toEqual(
      new Map([
        ['envoy', one],
        ['web-1', two],
      ]),
    )
  })

  it.each([
    ['nothing', ''],
    ['a token without a name', one],
    ['a short token', 'envoy=0123456789abcde'],
    ['a token with a space', `envoy=${one} x`],
    ['an empty entry', `envoy=${one},`],
    ['a name twice', `envoy=${one},envoy=${two}`],
    ['a token twice', `envoy=${one},web=${one}`],
  ])('takes no %s', (_, text) => {
    expect(parseCallerTokens(text)).toBeNull()
  })
})

describe('readSettings(), CALLER_TOKENS', () => {
  it('asks for no token when it is absent, and is an error when it is empty', () => {
    expect(readSettings({}).CALLER_TOKENS.size).toBe(0)
    expect(() => readSettings({ CALLER_TOKENS: '' })).toThrow('CALLER_TOKENS is not readable, expected name=token')
  })

  it('never shows text that it could not read', () => {
    expect(() => readSettings({ CALLER_TOKENS: `envoy=${one},broken` })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining(one) }),
    )
  })
})
