/** Observables of one incident: time in milliseconds, layers by protocol, and ends that are not addresses. */

import { describe, expect, it } from 'vitest'
import { decodeBase64 } from '#base/base64.ts'
import { decodeUtf8 } from '#base/utf8.ts'
import { dedupe, frameExtensionId, listLayers, toObservables, toStixTime } from '#grid/export/stix-observables.ts'
import { incidentAt } from '../../support/grid-incidents.ts'
import { must } from '../../support/must.ts'

describe('toStixTime()', () => {
  it.each([
    [0, '1970-01-01T00:00:00.000Z'],
    [1_795_190_400.123456, '2026-11-20T16:00:00.123Z'],
    // 0.007 s is a little less than 7 ms as a double: it must not become 6 ms.
    [1_795_190_400.007, '2026-11-20T16:00:00.007Z'],
    [1_795_190_400.9999, '2026-11-20T16:00:00.999Z'],
  ])('writes %d as %s', (timestamp, text) => {
    expect(toStixTime(timestamp)).toBe(text)
  })
})

describe('listLayers()', () => {
  it.each([
    ['Modbus', 50_001, 502, ['ipv4', 'tcp', 'modbus']],
    ['C37.118', 4713, 4713, ['ipv4', 'udp', 'synphasor']],
    ['C37.118', 50_001, 4712, ['ipv4', 'tcp', 'synphasor']],
    ['GOOSE', undefined, undefined, ['ethernet', 'goose']],
    ['ARP', undefined, undefined, ['ethernet', 'arp']],
    ['S7 comm!', 1, 102, ['ipv4', 'tcp', 's7-comm-']],
    ['', 1, 2, ['ipv4', 'tcp', 'unknown']],
    ['TCP', 1, 2, ['ipv4', 'tcp']],
    ['constructor', 1, 2, ['ipv4', 'tcp', 'constructor']],
  ])('of %s from port %s to %s are %j', (protocol, src_port, dst_port, layers) => {
    const { src_port: _, dst_port: __, ...incident } = incidentAt(1, { protocol })
    const ports = src_port === undefined || dst_port === undefined ? {} : { src_port, dst_port }
    expect(listLayers({ ...incident, ...ports })).toEqual(layers)
  })
})

describe('toObservables()', () => {
  it('refers from the traffic to both ends and to the frame', () => {
    const { objects, traffic } = toObservables(incidentAt(1), Uint8Array.of(1, 2))
    const byType = (type: string) => objects.filter((object) => object.type === type)
    expect(byType('ipv4-addr').map(({ value }) => value)).toEqual(['10.20.3.2', '10.20.1.20'])
    const [source, destination] = byType('ipv4-addr')
    expect(traffic).toMatchObject({
      type: 'network-traffic',
      src_ref: source?.id,
      dst_ref: destination?.id,
      src_payload_ref: byType('artifact')[0]?.id,
      is_active: false,
    })
    expect(must(traffic).end).toBe(must(traffic).start)
  })

  it('holds an address once that is both ends, and MAC addresses in lower case', () => {
    const mac = '02:66:66:66:66:AA'
    const { objects } = toObservables(incidentAt(1, { src_ip: mac, dst_ip: mac }), undefined)
    expect(objects.map(({ type, value }) => [type, value])).toEqual([
      ['mac-addr', mac.toLowerCase()],
      ['network-traffic', undefined],
    ])
  })

  it.each(['256.1.1.1', '10.20.3', 'plc-1', '', '01:02:03:04:05', '1.2.3.4.5'])(
    'makes an artifact of the incident where its ends are "%s"',
    (text) => {
      const incident = incidentAt(1, { src_ip: text, dst_ip: text })
      const { objects, traffic } = toObservables(incident, undefined)
      expect(traffic).toBeUndefined()
      const [artifact] = objects
      expect(objects).toHaveLength(1)
      const held = JSON.parse(decodeUtf8(must(decodeBase64(String(artifact?.payload_bin)) ?? undefined)))
      expect(held).toMatchObject({ id: incident.id, src_ip: text })
    },
  )

  it.each([
    [0, 0],
    [1, 1],
    [2048, 1],
    [2049, 0],
  ])('holds a frame of %d octets in %d artifacts', (length, count) => {
    const { objects } = toObservables(incidentAt(1), new Uint8Array(length))
    expect(objects.filter(({ type }) => type === 'artifact')).toHaveLength(count)
  })

  it('describes the attack in the extension, with frames as JSON text', () => {
    const incident = incidentAt(1, {
      attack_type: 'NOISE',
      attack_id: 'NOISE-1',
      description: '',
      original_val: { kind: 'data' },
    })
    const { traffic } = toObservables(incident, undefined)
    // Undefined members are not there once the bundle is text.
    const written: unknown = JSON.parse(JSON.stringify(traffic))
    expect(written).toHaveProperty(['extensions', frameExtensionId], {
      extension_type: 'property-extension',
      incident_id: incident.id,
      attack_type: 'NOISE',
      attack_id: 'NOISE-1',
      incident_status: 'clean',
      incident_severity: 'INFO',
      original_frame: '{"kind":"data"}',
    })
  })
})

describe('dedupe()', () => {
  it('keeps each id once, at its first place', () => {
    const object = (id: string) => ({ type: 'x', id })
    expect(dedupe([object('a'), object('b'), object('a')]).map(({ id }) => id)).toEqual(['a', 'b'])
  })
})
