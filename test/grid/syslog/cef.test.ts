/** CEF lines: what ends a field, keys by what a fact is, and the bound. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatCef } from '#grid/syslog/cef.ts'
import type { Notice } from '#grid/syslog/notice.ts'
import { readCef } from '../../support/syslog.ts'

const device = { version: '1.0.0', hostname: 'sluice' }
const notice: Notice = {
  kind: 'incident',
  timestamp: 1_764_000_012.3456,
  severity: 'HIGH',
  event: 'REPLAY',
  text: 'a frame came twice',
  facts: [
    ['protocol', 'DNP3'],
    ['frame', '412'],
  ],
}

describe('formatCef()', () => {
  it('writes seven fields of a header, then pairs, with a label before what has no key in the dictionary', () => {
    expect(formatCef(notice, device, 2048)).toBe(
      'CEF:0|Sluice|Grid|1.0.0|REPLAY|a frame came twice|8|' +
        'rt=1764000012346 dvchost=sluice cat=incident app=DNP3 cn1Label=frame cn1=412',
    )
  })

  it('escapes bars in the header, equals signs in values, and backslashes in both', () => {
    const odd: Notice = {
      ...notice,
      event: String.raw`A|B\C=D`,
      text: 'two\r\nlines',
      facts: [['protocol', String.raw`x=1|y\z`]],
    }
    const line = formatCef(odd, device, 2048)
    expect(line).toContain(String.raw`|A\|B\\C=D|two lines|8|`)
    expect(line).toContain(String.raw` app=x\=1|y\\z`)
    const { header, extension } = readCef(line)
    expect([header[4], extension.app]).toEqual([odd.event, String.raw`x=1|y\z`])
  })

  it.each([
    ['src', '10.0.0.1', 'src'],
    ['src', '02:00:5e:00:00:0A', 'smac'],
    ['dst', '01-0c-cd-01-00-07', 'dmac'],
    ['dst', '02:00:5e:00:00', 'dst'],
    ['where', '02:00:5e:00:00:0a', 'cs4'],
  ] as const)('writes the %s %s as %s', (name, value, key) => {
    const line = formatCef({ ...notice, facts: [[name, value]] }, device, 2048)
    expect(readCef(line).extension[key]).toBe(value)
  })

  it('leaves out whole extensions from the end, and counts octets, not characters', () => {
    const wide: Notice = {
      ...notice,
      facts: [
        ['protocol', 'ä'.repeat(50)],
        ['frame', '1'],
      ],
    }
    const whole = formatCef(wide, device, 2048)
    expect(formatCef(wide, device, Buffer.byteLength(whole))).toBe(whole)
    expect(formatCef(wide, device, Buffer.byteLength(whole) - 1)).toBe(whole.replace(' cn1Label=frame cn1=1', ''))
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 2048 }), (octets) => {
        const line = formatCef(wide, device, octets)
        expect(Buffer.byteLength(line)).toBeLessThanOrEqual(octets)
        expect(whole.startsWith(line)).toBe(true)
      }),
    )
  })
})
