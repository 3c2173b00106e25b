/** Holds a falsified phasor stream to its octets: what changed, what stayed, and what the ground truth says of it. */

import { expect } from 'vitest'
import { encodeHex } from '#base/hex.ts'
import { techniqueOf } from './attack-catalogue.ts'
import {
  changedOctets,
  type Duel,
  handled,
  incidentOf,
  measurementsOf,
  octetsOf,
  payloadOf,
  phasorChanges,
  phasorField,
} from './attack-session.ts'
import { changesIn } from './grid-session.ts'

/** Offset of the carrier's checksum in the whole frame: UDP over IPv4, TCP over IPv4. */
const carrierChecksum = { udp: [40, 41], tcp: [50, 51] } as const

/**
 * Expects that an attack took frames as their unit sent them, changed nothing outside the given octets and the
 * checksums over them, and that label and incident say exactly that.
 *
 * @param allowed - Positions in the octets of a data frame that may change.
 */
export function expectForgery(
  { attacked, twin, attackId }: Duel,
  type: string,
  allowed: (octets: Uint8Array) => readonly number[],
): void {
  const pairs = handled(attacked)
  expect(pairs.length).toBeGreaterThan(0)
  const honest = new Map(twin.frames.map((frame) => [`${frame.timeUs} ${frame.src}`, frame.bytes]))
  for (const pair of pairs) {
    const { before, after } = pair
    if (after === undefined) throw new Error(`frame ${before.frameNo} never arrived`)
    expect(encodeHex(before.bytes)).toBe(encodeHex(honest.get(`${before.timeUs} ${before.src}`) ?? new Uint8Array(0)))
    const [sent, received] = [payloadOf(before), payloadOf(after)]
    const start = before.bytes.length - sent.length
    const carrier = before.src.endsWith(':4712') ? carrierChecksum.tcp : carrierChecksum.udp
    const places = new Set([...carrier, ...[...allowed(sent), ...phasorField.checksum(sent)].map((at) => at + start)])
    expect(changedOctets(before.bytes, after.bytes).filter((at) => !places.has(at))).toEqual([])
    const { was, is } = measurementsOf(attacked.world, pair)
    const technique = techniqueOf(type)
    const label = { attack_id: attackId, attack_type: type, technique }
    expect(after.label).toMatchObject(label)
    expect(changesIn(after)).toMatchObject(phasorChanges(was, is))
    expect(changesIn(after)).not.toEqual([])
    expect(incidentOf(attacked, after)).toMatchObject({
      ...label,
      protocol: 'C37.118',
      status: 'attacked',
      severity: 'HIGH',
      src_node: was.node,
      dst_node: 'PDC',
      original_val: { raw_hex: encodeHex(sent) },
      modified_val: { raw_hex: encodeHex(received) },
    })
  }
}

/** Expects that every frame which the attack did not label is the twin's, octet for octet. */
export function expectRestUntouched({ attacked, twin }: Duel): void {
  const touched = new Set(handled(attacked).map(({ before }) => `${before.timeUs} ${before.src}`))
  const rest = attacked.frames.filter(({ label }) => label === null)
  const same = twin.frames.filter(({ timeUs, src }) => !touched.has(`${timeUs} ${src}`))
  expect(octetsOf(rest)).toEqual(octetsOf(same))
}
