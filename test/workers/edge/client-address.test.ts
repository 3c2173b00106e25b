import { describe, expect, it } from 'vitest'
import { clientAddress } from '#workers/edge/client-address.ts'

describe('clientAddress()', () => {
  it.each([
    [{ 'cf-connecting-ip': '192.0.2.1' }, { clientIp: '198.51.100.7:5000' }, '192.0.2.1'],
    [{}, { clientIp: '198.51.100.7:5000' }, '198.51.100.7'],
    [{}, { clientIp: '[2001:db8::1]:5000' }, '2001:db8::1'],
    [{}, { clientIp: '[::ffff:127.0.0.1]:5000' }, '::ffff:127.0.0.1'],
    [{}, { clientPid: 7 }, ''],
    [{}, undefined, ''],
  ])('of %j and %j is %j', (headers, cf, address) => {
    expect(clientAddress({ headers: new Headers(headers), cf })).toBe(address)
  })
})
