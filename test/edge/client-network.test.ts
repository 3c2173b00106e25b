import { describe, expect, it } from 'vitest'
import { clientNetwork } from '#edge/client-network.ts'

describe('clientNetwork()', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:192.0.2.1', '192.0.2.1'],
    ['2001:db8:0:7:1:2:3:4', '2001:db8:0:7::/64'],
    ['2001:0DB8:0000:0007:ffff:ffff:ffff:ffff', '2001:db8:0:7::/64'],
    ['2001:db8:0:7::', '2001:db8:0:7::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::192.0.2.33', '64:ff9b:0:0::/64'],
  ])('names the client of %s as %s', (address, client) => {
    expect(clientNetwork(address)).toBe(client)
  })

  it('is one client for all addresses of a subscriber', () => {
    const addresses = Array.from({ length: 100 }, (_, at) => `2001:db8:1:2:${at.toString(16)}::${at}`)
    expect(new Set(addresses.map(clientNetwork))).toEqual(new Set(['2001:db8:1:2::/64']))
  })

  it.each(['', 'unknown', '1:2:3', '1::2::3', '1:2:3:4:5:6:7:8:9', '1:2:3:4:5:6:7::8', 'g::1', '12345::1'])(
    'leaves %j as it is, which is not an address',
    (text) => {
      expect(clientNetwork(text)).toBe(text)
    },
  )

  it('cuts a text that is longer than any address', () => {
    expect(clientNetwork('x'.repeat(100_000))).toHaveLength(64)
  })
})
