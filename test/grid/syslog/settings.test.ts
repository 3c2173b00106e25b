/** Addresses of collectors: schemes, hosts in brackets, ports in range, and everything that is not an address. */

import { describe, expect, it } from 'vitest'
import { facilities, parseCollector } from '#grid/syslog/settings.ts'

describe('parseCollector()', () => {
  it.each([
    ['tcp://collector:514', { host: 'collector', port: 514, tls: false }],
    ['tls://collector.example.org:6514', { host: 'collector.example.org', port: 6514, tls: true }],
    ['TLS://10.0.0.1:65535/', { host: '10.0.0.1', port: 65_535, tls: true }],
    ['tcp://[2001:db8::1]:1', { host: '2001:db8::1', port: 1, tls: false }],
    ['tcp://[::ffff:10.0.0.1]:601', { host: '::ffff:10.0.0.1', port: 601, tls: false }],
  ])('reads %s', (text, address) => {
    expect(parseCollector(text)).toEqual(address)
  })

  it.each([
    '',
    'collector:514',
    'udp://collector:514',
    'tcp://collector',
    'tcp://collector:',
    'tcp://:514',
    'tcp://collector:0',
    'tcp://collector:65536',
    'tcp://collector:514/path',
    'tcp://collector:514?x',
    'tcp://user@collector:514',
    'tcp://2001:db8::1:514',
    'tcp://[collector]:514',
    'tcp://a b:514',
    ' tcp://collector:514',
  ])('does not take "%s" for an address', (text) => {
    expect(parseCollector(text)).toBeNull()
  })
})

describe('facilities', () => {
  it.each([
    ['kern', 0],
    ['auth', 4],
    ['authpriv', 10],
    ['clock', 15],
    ['local0', 16],
    ['local7', 23],
  ] as const)('has %s at %d, the number of RFC 5424 table 1', (name, number) => {
    expect(facilities.indexOf(name)).toBe(number)
  })
})
