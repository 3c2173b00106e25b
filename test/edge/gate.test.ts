import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { projectRoot } from '#bin/project.ts'
import { askGate, chargeFailedToken, gateRefusal, readGateAnswer } from '#edge/gate.ts'
import { readRequest } from '#proto-json/json.ts'
import { checkRules } from '../support/compile-rules.ts'

const failed = [
  { key: 'address', value: '192.0.2.1' },
  { key: 'operation', value: 'failed_token' },
]

describe('askGate()', () => {
  it('asks for the address and the token, and looks at failed tokens without counting one', () => {
    const message = readRequest(askGate({ operation: 'write', address: '192.0.2.1', token: 'abc' }))
    const operation = { key: 'operation', value: 'write' }
    expect(message.domain).toBe('sluice')
    expect(message.descriptors).toMatchObject([
      { entries: failed, hitsAddend: 0n },
      { entries: [{ key: 'address', value: '192.0.2.1' }, operation] },
      { entries: [{ key: 'token', value: 'abc' }, operation] },
    ])
  })

  it('counts all addresses of an IPv6 subscriber as one', () => {
    const ask = (address: string) => askGate({ operation: 'read', address, token: undefined })
    expect(ask('2001:db8:1:2:a::1')).toBe(ask('2001:db8:1:2::b'))
    expect(ask('2001:db8:1:2::')).not.toBe(ask('2001:db8:1:3::'))
    expect(chargeFailedToken('2001:db8:1:2:a::1')).toBe(chargeFailedToken('2001:db8:1:2::b'))
  })

  it('does not look at failed tokens for a request without one', () => {
    const message = readRequest(askGate({ operation: 'read', address: '', token: undefined }))
    expect(message.descriptors).toMatchObject([
      {
        entries: [
          { key: 'address', value: 'unknown' },
          { key: 'operation', value: 'read' },
        ],
      },
    ])
    expect(message.descriptors).toHaveLength(1)
  })
})

describe('chargeFailedToken()', () => {
  it('counts one for the address', () => {
    expect(readRequest(chargeFailedToken('192.0.2.1')).descriptors).toMatchObject([{ entries: failed }])
  })
})

describe('readGateAnswer()', () => {
  it.each([
    [200, {}, null],
    [400, {}, null],
    [500, undefined, null],
    [429, { statuses: [{ code: 'OVER_LIMIT', durationUntilReset: '17s' }] }, 17],
    [
      429,
      {
        statuses: [
          { code: 'OK', durationUntilReset: '59s' },
          { code: 'OVER_LIMIT', durationUntilReset: '2.5s' },
        ],
      },
      3,
    ],
    [429, { statuses: [{ code: 'OVER_LIMIT', durationUntilReset: '9999999s' }] }, 86_400],
    [429, { statuses: [{ code: 'OVER_LIMIT' }] }, 1],
    [429, 'nonsense', 1],
  ])('%i with %j waits %s', (status, body, seconds) => {
    expect(readGateAnswer(status, body)).toBe(seconds)
  })
})

describe('gateRefusal()', () => {
  it('names the seconds to wait', () => {
    expect([gateRefusal(1), gateRefusal(20)]).toEqual([
      'Cannot answer: too many requests, try again in 1 second',
      'Cannot answer: too many requests, try again in 20 seconds',
    ])
  })
})

describe('examples/ratelimit/config/sluice.yaml', () => {
  it('has a limit for each of the three shipped rules', () => {
    const name = 'sluice.yaml'
    const text = readFileSync(join(projectRoot, 'examples/ratelimit/config', name), 'utf8')
    for (const value of ['failed_token', 'write', 'stream']) expect(text).toContain(`value: ${value}`)
    expect(checkRules([{ key: name, text }]).mistakes).toEqual([])
  })
})
