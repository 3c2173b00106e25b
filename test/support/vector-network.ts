/** A ledger that holds the network a vector describes. */

import { quantizeDecimal } from '#base/decimal.ts'
import { createMemoryStore } from '#devnode/memory/store.ts'
import { createBudget, type Reader } from '#devnode/queries/reader.ts'
import { putEvent } from '#devnode/state/events.ts'
import { addStream, findStream, type Stream } from '#devnode/state/streams.ts'
import { putTaxonomyRow } from '#devnode/state/taxonomies.ts'

/** The network of a `stream_semantics` or `composed_random` vector. */
export interface NetworkInput {
  readonly primitives?: Readonly<Record<string, readonly { event_time: number; value: string; created_at: number }[]>>
  readonly primitives_inserted?: Readonly<Record<string, readonly (readonly [number, number])[]>>
  readonly taxonomies?: readonly {
    parent: string
    child: string
    weight: string
    start_time: number
    group_sequence: number
    disabled?: boolean
  }[]
}

/** The provider of every stream of a vector. */
const vectorProvider = '0x00000000000000000000000000000000000000aa'

/** Writes the network of a vector into a new ledger. */
export function loadNetwork(input: NetworkInput): { reader: Reader; streamOf: (name: string) => Stream } {
  const store = createMemoryStore()
  const taxonomies = input.taxonomies ?? []
  const parents = new Set(taxonomies.map((row) => row.parent))
  const names = new Set([
    ...Object.keys(input.primitives ?? {}),
    ...Object.keys(input.primitives_inserted ?? {}),
    ...taxonomies.flatMap((row) => [row.parent, row.child]),
  ])
  for (const name of names) {
    const type = parents.has(name) ? 'composed' : 'primitive'
    addStream(store, { dataProvider: vectorProvider, streamId: name, type, createdAt: 1 })
  }
  const streamOf = (name: string) => {
    const stream = findStream(store, vectorProvider, name)
    if (stream === undefined) throw new Error(`the vector has no stream ${name}`)
    return stream
  }
  for (const [name, events] of Object.entries(input.primitives ?? {})) {
    for (const event of events) {
      const value = quantizeDecimal(event.value, 36, 18)
      putEvent(store, streamOf(name).ref, event.created_at, { time: BigInt(event.event_time), value })
    }
  }
  for (const row of taxonomies) {
    putTaxonomyRow(store, {
      parent: streamOf(row.parent).ref,
      child: streamOf(row.child).ref,
      weight: quantizeDecimal(row.weight, 36, 18),
      startTime: BigInt(row.start_time),
      group: row.group_sequence,
      createdAt: 1,
      disabledAt: row.disabled === true ? 1 : undefined,
    })
  }
  return { reader: { store, budget: createBudget(100_000) }, streamOf }
}
