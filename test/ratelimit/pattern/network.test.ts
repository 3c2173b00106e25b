/** Addresses and networks: each is read as `node:net` reads it, and found as `BlockList` finds it. */

import { BlockList, isIP } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { createNetworkTable, parseAddress, parseNetwork } from '#ratelimit/pattern/network.ts'

test.each([
  ['192.0.2.1', [192, 0, 2, 1]],
  ['::ffff:192.0.2.1', [192, 0, 2, 1]],
  ['::FFFF:c000:201', [192, 0, 2, 1]],
  ['2001:db8::1', [0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]],
  ['::', new Array(16).fill(0)],
])('parseAddress() reads %s', (text, octets) => {
  expect(parseAddress(text)).toEqual(octets)
})

test.each([
  '',
  '1.2.3',
  '1.2.3.4.5',
  '01.2.3.4',
  '256.0.0.1',
  '1.2.3.4 ',
  ':::',
  '1::2::3',
  '1:2:3:4:5:6:7',
  '1:2:3:4:5:6:7:8:9',
  '1:2:3:4:5:6:7::8:9',
  '::1.2.3.4:5',
  'fe80::1%eth0',
  `${'1'.repeat(46)}:`,
])('parseAddress() takes %j for no address', (text) => {
  expect(parseAddress(text)).toBeNull()
})

test.each(['192.0.2.1/24', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '2001:db8::1/64', '::/129', '::/-1', 'x/8'])(
  'parseNetwork() takes %s for no network',
  (text) => {
    expect(parseNetwork(text)).toBeNull()
  },
)

test('parseNetwork() reads a prefix of an IPv4 address within IPv6 as one of IPv4', () => {
  expect(parseNetwork('::ffff:10.0.0.0/104')).toEqual({ octets: [10, 0, 0, 0], length: 8 })
})

const ipv6Text = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 }).map((groups) => {
  const text = groups.map((group) => (group < 0x8000 ? 0 : group).toString(16)).join(':')
  return text.replace(/(^|:)0(:0)+(:|$)/, '::')
})
const address = fc.oneof(fc.ipV4(), fc.ipV6(), ipv6Text)

describe('parseAddress()', () => {
  it('knows an address where node:net knows one', () => {
    const text = fc.oneof(address, fc.stringMatching(/^[0-9a-f:.]{0,20}$/))
    fc.assert(
      fc.property(text, (written) => {
        expect(parseAddress(written) !== null).toBe(isIP(written) !== 0)
      }),
    )
  })
})

describe('createNetworkTable()', () => {
  it.each([
    ['ipv4', fc.ipV4(), 32],
    ['ipv6', ipv6Text.filter((text) => parseAddress(text)?.length === 16), 128],
  ] as const)('finds a network of %s where BlockList does', (family, address, most) => {
    const network = fc.tuple(address, fc.integer({ min: 0, max: most }))
    fc.assert(
      fc.property(fc.array(network, { maxLength: 8 }), address, (networks, asked) => {
        const blocked = new BlockList()
        for (const [text, length] of networks) blocked.addSubnet(text, length, family)
        const table = createNetworkTable(
          networks.map(([text, length]) => [{ octets: parseAddress(text) ?? [], length }, text] as const),
        )
        expect(table.list(parseAddress(asked) ?? []).length > 0).toBe(blocked.check(asked, family))
      }),
    )
  })

  it('lists the longest prefix first', () => {
    const networks = ['10.0.0.0/8', '10.1.0.0/16', '0.0.0.0/0', '10.1.2.3'].map(
      (text) => [parseNetwork(text) ?? { octets: [], length: 0 }, text] as const,
    )
    const table = createNetworkTable(networks)
    const found = ['10.1.2.3', '10.1.2.4', '11.0.0.0', '::1'].map((text) => table.list(parseAddress(text) ?? []))
    expect(found).toEqual([
      ['10.1.2.3', '10.1.0.0/16', '10.0.0.0/8', '0.0.0.0/0'],
      ['10.1.0.0/16', '10.0.0.0/8', '0.0.0.0/0'],
      ['0.0.0.0/0'],
      [],
    ])
  })
})
