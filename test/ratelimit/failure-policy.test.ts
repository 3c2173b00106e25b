/** Answers of domains while the counter store fails, by `FAILURE_POLICY`. */

import { describe, expect, it } from 'vitest'
import { type FailurePolicies, findFailurePolicy, parseFailurePolicies } from '#ratelimit/failure-policy.ts'

describe('parseFailurePolicies()', () => {
  it('reads a default and its exceptions in any order', () => {
    const both = new Map([
      ['', 'error'],
      ['shop', 'open'],
    ])
    expect(parseFailurePolicies('error,shop=open')).toEqual(both)
    expect(parseFailurePolicies(' shop = open , error ')).toEqual(both)
    expect(parseFailurePolicies('closed')).toEqual(new Map([['', 'closed']]))
  })

  it('takes a domain with an equals sign in it', () => {
    expect(parseFailurePolicies('a=b=open')).toEqual(new Map([['a=b', 'open']]))
  })

  it.each(['', 'Open', 'shop=', '=open', 'open,closed', 'shop=open,shop=closed', 'open,'])('refuses "%s"', (text) => {
    expect(parseFailurePolicies(text)).toBeNull()
  })
})

describe('findFailurePolicy()', () => {
  it('prefers the exception of the domain', () => {
    const policies: FailurePolicies = new Map([
      ['', 'error'],
      ['shop', 'open'],
    ])
    expect(findFailurePolicy('shop', policies)).toBe('open')
    expect(findFailurePolicy('bank', policies)).toBe('error')
    expect(findFailurePolicy('bank', new Map())).toBeNull()
  })
})
