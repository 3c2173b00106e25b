/** Values on the wire described once: the same description writes a value and reads it back. */

import type { NumberKind, OctetReader } from './octet-reader.ts'
import type { OctetWriter } from './octet-writer.ts'

/** One value on the wire. */
export interface Codec<Value> {
  /** @throws GridError malformed_frame when the value does not fit. */
  put(writer: OctetWriter, value: Value): void
  take(reader: OctetReader): Value
}

/** The value that a codec writes and reads. */
export type CodecValue<One> = One extends Codec<infer Value> ? Value : never

/** A number; `field` names it in faults and errors. */
export function number(kind: NumberKind, field: string): Codec<number> {
  return { put: (writer, value) => writer[kind](value, field), take: (reader) => reader[kind](field) }
}

/** The fields of an object, in the order in which they follow each other. */
export function fields<Shape extends Readonly<Record<string, Codec<unknown>>>>(
  shape: Shape,
): Codec<{ readonly [Name in keyof Shape]: CodecValue<Shape[Name]> }> {
  type Value = { readonly [Name in keyof Shape]: CodecValue<Shape[Name]> }
  const names: readonly (keyof Shape & string)[] = Object.keys(shape)
  return {
    put(writer, value) {
      for (const name of names) shape[name]?.put(writer, value[name])
    },
    take(reader) {
      const value: Record<string, unknown> = {}
      for (const name of names) value[name] = shape[name]?.take(reader)
      return value as Value // every name of the shape was read in the loop
    },
  }
}

/** The names of a table by the codes that their rows have on the wire. */
export function namesByCode<Name extends string, Row>(table: Readonly<Record<Name, Row>>, code: (row: Row) => number) {
  return new Map(Object.entries<Row>(table).map(([name, row]) => [code(row), name as Name])) // the keys of the table
}

/** Named bits of an octet: joined to one number, and split into one boolean each. */
export function namedBits<Name extends string>(masks: Readonly<Record<Name, number>>) {
  const bits = Object.entries<number>(masks)
  return {
    join: (flags: Readonly<Record<Name, boolean>>): number =>
      bits.reduce((octet, [name, mask]) => (flags[name as Name] ? octet | mask : octet), 0), // a key of the masks
    split: (octet: number) =>
      Object.fromEntries(bits.map(([name, mask]) => [name, (octet & mask) !== 0])) as Record<Name, boolean>, // all keys
  }
}

/** As many items as a count field says, up to the first fault. */
export function takeEach<Item>(reader: OctetReader, count: number, take: () => Item): Item[] {
  const items: Item[] = []
  while (items.length < count && !reader.failed()) items.push(take())
  return items
}
