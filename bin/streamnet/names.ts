/** Names on the command line: those that owners wrote to the network, and before them those of a book in a file. */

import { readFileSync } from 'node:fs'
import { messageOf } from '#base/errors.ts'
import { isRecord } from '#base/json.ts'
import type { CatalogueEntry } from '#streamnet/catalogue/entry.ts'
import {
  type Client,
  findStreamByName,
  isStreamId,
  isStreamNetError,
  listStreamNames,
  type NamedStream,
  parseAddress,
} from '#streamnet/index.ts'
import { UsageError } from './command.ts'

/** Names of streams, and tags of wallets by their address in lower case. */
export interface Names {
  readonly streams: readonly NamedStream[]
  readonly wallets: ReadonlyMap<string, string>
}

/**
 * Reads a book: a JSON object of names, by `OWNER/STREAM` for a stream and by address for a wallet. No book is empty.
 *
 * @throws UsageError when the file cannot be read or has another form.
 */
export function readBook(path: string | undefined): Names {
  if (path === undefined) return { streams: [], wallets: new Map() }
  const refuse = (state: string) => new UsageError(`Cannot read the book of names "${path}": ${state}`)
  let json: unknown
  try {
    json = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw refuse(messageOf(error))
  }
  if (!isRecord(json)) throw refuse('expected an object of names by OWNER/STREAM or by address')
  const streams: NamedStream[] = []
  const wallets = new Map<string, string>()
  for (const [place, name] of Object.entries(json)) {
    const [owner = '', streamId, ...rest] = place.split('/')
    if (typeof name !== 'string' || name === '') throw refuse(`"${place}" has no name, expected text`)
    const address = readOwner(owner)
    if (address === undefined || rest.length > 0 || (streamId !== undefined && !isStreamId(streamId))) {
      throw refuse(`"${place}" does not name a place, expected OWNER/STREAM or an address`)
    }
    if (streamId === undefined) wallets.set(address, name)
    else streams.push({ dataProvider: address, streamId, name })
  }
  return { streams, wallets }
}

function readOwner(text: string): string | undefined {
  try {
    return parseAddress(text)
  } catch (error) {
    if (isStreamNetError(error)) return undefined
    throw error
  }
}

/** The names of the network with those of a book: a stream has the name of the book where both have one. */
export async function readNames(client: Client, book: Names): Promise<Names> {
  const kept = new Set(book.streams.map(placeOf))
  const others = (await listStreamNames(client)).filter((stream) => !kept.has(placeOf(stream)))
  return { ...book, streams: [...book.streams, ...others] }
}

/**
 * Puts the place of a stream where its name was given, as `--stream NAME`, and the address of a wallet for `@TAG`.
 *
 * @throws UsageError when the operation takes no stream, or no wallet has the tag.
 * @throws StreamNetError invalid_argument when no stream has the name, or more than one.
 */
export function withPlaces(
  { name, parameters }: Pick<CatalogueEntry, 'name' | 'parameters'>,
  pairs: ReadonlyMap<string, string>,
  names: Names,
): ReadonlyMap<string, string> {
  const { stream, ...given } = Object.fromEntries(pairs) as Readonly<Record<string, string>>
  const placed = parameters.flatMap(({ name: parameter, type }) => {
    const text = given[parameter]
    return type === 'address' && text?.startsWith('@') ? [[parameter, findWallet(names, text.slice(1))] as const] : []
  })
  const takes = new Set(parameters.map((parameter) => parameter.name))
  if (stream === undefined) return new Map([...Object.entries(given), ...placed])
  if (!takes.has('stream_id')) throw new UsageError(`Cannot run ${name}: it takes no stream_id, expected no --stream`)
  const { dataProvider, streamId } = findStreamByName(names.streams, stream)
  const owner = takes.has('data_provider') ? [['data_provider', dataProvider] as const] : []
  return new Map([...owner, ...Object.entries(given), ...placed, ['stream_id', streamId]])
}

function findWallet({ wallets }: Names, tag: string): string {
  const found = [...wallets].flatMap(([address, name]) => (name === tag ? [address] : []))
  const [address] = found
  if (address !== undefined && found.length === 1) return address
  throw new UsageError(`Cannot find a wallet: ${found.length} have the tag "${tag}" in the book, expected one`)
}

/** A result with a name beside each stream and wallet that has one. */
export function withNames(value: unknown, names: Names): unknown {
  const byPlace = new Map(names.streams.map((stream) => [placeOf(stream), stream.name]))
  const visit = (one: unknown): unknown => {
    if (Array.isArray(one)) return one.map(visit)
    if (!isRecord(one) || one instanceof Uint8Array) return one
    const { dataProvider, streamId } = one
    const found =
      typeof dataProvider === 'string' && typeof streamId === 'string'
        ? byPlace.get(placeOf({ dataProvider, streamId }))
        : undefined
    const members = Object.entries(one).flatMap(([member, inner]) => {
      const tag = typeof inner === 'string' ? names.wallets.get(inner.toLowerCase()) : undefined
      return tag === undefined
        ? [[member, visit(inner)]]
        : [
            [member, inner],
            [`${member}Tag`, tag],
          ]
    })
    return { ...(found !== undefined && { name: found }), ...Object.fromEntries(members) }
  }
  return visit(value)
}

function placeOf({ dataProvider, streamId }: Pick<NamedStream, 'dataProvider' | 'streamId'>): string {
  return `${dataProvider.toLowerCase()}/${streamId}`
}
