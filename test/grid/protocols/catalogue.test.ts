/** The table of protocols: what a reader of frames, the page of the surface and a stranger's octets need of each row. */

import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Protocol, protocolNames, protocols } from '#grid/protocols/catalogue.ts'

const page = readFileSync(new URL('../../../docs/grid.md', import.meta.url), 'utf8')
const rows = page.split('\n### Protocols\n')[1]?.split('\n- **')[0] ?? ''

describe('protocols', () => {
  it.each(['tcp', 'udp'] as const)('have a port each on %s: a frame is named by it', (carrier) => {
    const ports = protocolNames.flatMap((name) => (protocols[name] as Protocol).ports[carrier] ?? [])
    expect(new Set(ports).size).toBe(ports.length)
  })

  it.each(protocolNames)('%s has a row in docs/grid.md, with its ports', (name) => {
    // The page writes "IEC 60870-5-104" for IEC104 and "Modbus/TCP" for Modbus.
    const row = rows.split('\n').find((line) => line.replace(/IEC 60870-5-/, 'IEC').includes(name)) ?? ''
    expect(row).not.toBe('')
    for (const port of Object.values((protocols[name] as Protocol).ports)) expect(row).toContain(String(port))
  })

  it.each(protocolNames)('%s decodes any octets to a value or to a fault', (name) => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), fc.boolean(), (octets, isRequest) => {
        const { decode }: Protocol = protocols[name]
        const read = decode(octets, isRequest, undefined)
        if (!read.ok) expect(read.fault.message).toMatch(/^Cannot decode [^:]+: \S/)
      }),
    )
  })
})
