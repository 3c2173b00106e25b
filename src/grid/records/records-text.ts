/** Records as text for a table, and back: octets as hex, and the evidence behind incidents and labels as octets. */

import { decodeHex, encodeHex } from '../../base/hex.ts'
import { keepOctets } from '../link/slab.ts'
import type { Evidence, IncidentRecord, PacketLabel, PacketRecord, Reading } from '../types.ts'
import { findReading } from './evidence.ts'
import type { NewRecords } from './records.ts'

/** One piece of evidence: the position of its reading, and both forms as hex. */
type EvidenceRow = readonly [reading: number, original: string | null, modified: string | null]

/** A label or an incident whose evidence is the position of its row. */
type LabelRow = Omit<PacketLabel, 'evidence'> & { readonly evidence?: number }
type IncidentRow = Readonly<Record<string, unknown>> & { readonly evidence?: number }

type FrameRow = Omit<PacketRecord, 'bytes' | 'label'> & { readonly bytes: string; readonly label: LabelRow | null }

/** The content of the text; records that carry decoded messages have neither readings nor evidence. */
interface Rows {
  readonly readings?: readonly Reading[]
  readonly evidence?: readonly EvidenceRow[]
  readonly incidents: readonly IncidentRow[]
  readonly packets: NewRecords['packets']
  readonly frames: readonly FrameRow[]
}

/** Writes records as JSON text; nothing in it is decoded, so that saving costs little more than the octets. */
export function encodeRecords({ incidents, packets, frames }: NewRecords): string {
  const readings = new Map<Reading, number>()
  const rows: EvidenceRow[] = []
  const places = new Map<Evidence, number>()
  const findPlace = (evidence: Evidence): number => {
    const known = places.get(evidence)
    if (known !== undefined) return known
    const { reading, original, modified } = evidence
    if (!readings.has(reading)) readings.set(reading, readings.size)
    rows.push([readings.get(reading) ?? 0, toHex(original), toHex(modified)])
    places.set(evidence, rows.length - 1)
    return rows.length - 1
  }
  const toRow = <Kept extends { readonly evidence?: Evidence }>(record: Kept) =>
    record.evidence === undefined ? record : { ...record, evidence: findPlace(record.evidence) }
  const text = {
    incidents: incidents.map(toRow),
    packets,
    frames: frames.map((frame) => ({
      ...frame,
      bytes: encodeHex(frame.bytes),
      label: frame.label === null ? null : toRow(frame.label),
    })),
  }
  return JSON.stringify({ readings: [...readings.keys()], evidence: rows, ...text })
}

function toHex(octets: Uint8Array | null): string | null {
  return octets === null ? null : encodeHex(octets)
}

/** Reads what `encodeRecords` wrote; octets share buffers, and records of one message its evidence. */
export function decodeRecords(text: string): NewRecords {
  const { readings = [], evidence = [], incidents, packets, frames } = JSON.parse(text) as Rows // written above
  const known = readings.map(({ protocol, isRequest, configuration }) =>
    findReading(protocol, isRequest, configuration),
  )
  const held = evidence.flatMap(([place, original, modified]): Evidence[] => {
    const reading = known[place]
    if (reading === undefined) return []
    const before = toOctets(original)
    return [{ reading, original: before, modified: modified === original ? before : toOctets(modified) }]
  })
  return {
    // Rows are written from records, field by field.
    incidents: incidents.map((row) => fromRow(row, held) as unknown as IncidentRecord),
    packets,
    frames: frames.map((row) => ({
      ...row,
      bytes: keepOctets(decodeHex(row.bytes)),
      label: row.label === null ? null : fromRow(row.label, held),
    })),
  }
}

function toOctets(hex: string | null): Uint8Array | null {
  return hex === null ? null : keepOctets(decodeHex(hex))
}

/** Replaces the position of the evidence by the evidence; a record keeps the order of its fields. */
function fromRow<Row extends { readonly evidence?: number }>(row: Row, evidence: readonly Evidence[]) {
  const { evidence: place } = row
  const behind = place === undefined ? undefined : evidence[place]
  if (behind !== undefined) return { ...row, evidence: behind }
  const { evidence: _, ...plain } = row
  return plain
}
