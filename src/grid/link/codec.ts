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

/** A value that is there where the next octet is its tag. */
export function optional<Value>(tag: number, codec: Codec<Value>): Codec<Value | undefined> {
  return {
    put(writer, value) {
      if (value !== undefined) codec.put(writer, value)
    },
    take: (reader) => (reader.peek() === tag ? codec.take(reader) : undefined),
  }
}

type Shape = Readonly<Record<string, Codec<unknown>>>

/** Names of the codecs in a shape whose value may be absent. */
type Absent<Of extends Shape> = { [Name in keyof Of]: undefined extends CodecValue<Of[Name]> ? Name : never }[keyof Of]

/** The object that a shape writes and reads. */
type Fields<Of extends Shape> = { readonly [Name in Exclude<keyof Of, Absent<Of>>]: CodecValue<Of[Name]> } & {
  readonly [Name in Absent<Of>]?: Exclude<CodecValue<Of[Name]>, undefined>
}

/** The fields of an object, in the order in which they follow each other. */
export function fields<Of extends Shape>(shape: Of): Codec<Fields<Of>> {
  const codecs = Object.entries(shape)
  return {
    put(writer, value: Readonly<Record<string, unknown>>) {
      for (const [name, codec] of codecs) codec.put(writer, value[name])
    },
    take(reader) {
      const value: Record<string, unknown> = {}
      for (const [name, codec] of codecs) {
        const read = codec.take(reader)
        if (read !== undefined) value[name] = read
      }
      return value as Fields<Of> // every name of the shape was read in the loop
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
