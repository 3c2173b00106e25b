/** Names of streams and tags of wallets: those that owners wrote to the network, and before them those of this browser. */

import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Stream } from '#gateway/contract/results.ts'
import { useRead, write } from './gateway.ts'
import { short } from './stream-name.ts'

/** A stream's place without its type. */
export type StreamPlace = Pick<Stream, 'stream_id' | 'data_provider'>

/** A row of metadata under the key `name`. */
export interface NameRow extends StreamPlace {
  readonly value_s: string | null
}

/** Longest name in characters, as the client has it. */
export const longestName = 200
const mostKept = 1_000
const storageKey = 'sluice-names'

/** Names that the network has, by `owner/stream`. */
export const networkNames = signal<ReadonlyMap<string, string>>(new Map())

/** Names that this browser keeps, by `owner/stream` or by wallet. */
export const keptNames = signal<ReadonlyMap<string, string>>(readKept())

/** Keeps the names of the network known while the component is mounted. */
export function useNetworkNames(): void {
  const rows = useRead<readonly NameRow[]>('list_metadata_by_height', { key: 'name', limit: 10_000 }, 10_000)
  const { data } = rows
  useEffect(() => {
    if (data !== undefined) offerNetworkNames(data)
  }, [data])
}

/** Takes rows of metadata, oldest first: a later name of a stream takes the place of an earlier one. */
export function offerNetworkNames(rows: readonly NameRow[]): void {
  networkNames.value = new Map(rows.flatMap((row) => (row.value_s === null ? [] : [[placeOf(row), row.value_s]])))
}

/** The name of a stream; undefined without one. */
export function findName(stream: StreamPlace): string | undefined {
  const place = placeOf(stream)
  return keptNames.value.get(place) ?? networkNames.value.get(place)
}

/** The name of a stream, or its id so short that it fits a line. */
export function streamTitle(stream: StreamPlace): string {
  return findName(stream) ?? short(stream.stream_id)
}

/** The same where only the id is known: a name counts that all streams with the id share. */
export function idTitle(id: string): string {
  const places = [...new Set([...networkNames.value.keys(), ...keptNames.value.keys()])]
  const titles = new Set(
    places.flatMap((place) => {
      const [data_provider = '', stream_id = ''] = place.split('/')
      return stream_id === id ? [streamTitle({ data_provider, stream_id })] : []
    }),
  )
  const [title] = titles
  return titles.size === 1 && title !== undefined ? title : short(id)
}

/** The tag of a wallet, or its address so short that it fits a line. */
export function walletTitle(wallet: string): string {
  return keptNames.value.get(wallet.toLowerCase()) ?? short(wallet)
}

/** Keeps a name in this browser, or forgets it when it is empty; the oldest goes when there are too many. */
export function keepName(key: string, name: string): void {
  // Another tab may have kept others since.
  const others = [...readKept()].filter(([one]) => one !== key.toLowerCase())
  const added = name.trim() === '' ? [] : [[key.toLowerCase(), name.trim().slice(0, longestName)] as const]
  keptNames.value = new Map([...others, ...added].slice(-mostKept))
  localStorage.setItem(storageKey, JSON.stringify([...keptNames.peek()]))
}

/** Writes the name of one of the gateway's own streams to the network, where every reader gets it. */
export async function publishName(stream: StreamPlace, name: string): Promise<void> {
  const args = [[stream.data_provider, stream.stream_id, 'name', name.trim(), 'string']]
  await write('execute_procedure', { procedure: 'insert_metadata', args })
  networkNames.value = new Map(networkNames.peek()).set(placeOf(stream), name.trim())
}

/** The key of a stream in the books. */
export function placeOf({ data_provider, stream_id }: StreamPlace): string {
  return `${data_provider.toLowerCase()}/${stream_id}`
}

function readKept(): ReadonlyMap<string, string> {
  try {
    // Written by `keepName` only; anything else is not iterable, or its entries are not pairs.
    return new Map(JSON.parse(localStorage.getItem(storageKey) ?? '[]') as [string, string][])
  } catch {
    return new Map()
  }
}
