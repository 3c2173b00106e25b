/** The `local.*` methods of the operator's port. */

import { type ExactJson, parseExactJson } from '../../base/canonical-json.ts'
import { DevnodeError } from '../errors.ts'
import { invalid } from '../local/checks.ts'
import { type LocalStreams, openLocalStreams } from '../local/ledger.ts'
import { insertLocalRecords } from '../local/records.ts'
import { readLocalIndex, readLocalRecords } from '../local/series.ts'
import { createLocalStream, deleteLocalStream, listLocalStreams } from '../local/streams.ts'
import { disableLocalTaxonomy, insertLocalTaxonomy } from '../local/taxonomies.ts'
import type { Node } from '../node.ts'
import { numericText } from '../numeric.ts'
import type { SeriesRow, Span } from '../queries/reader.ts'
import { authenticateLocal, type ExactParams } from './local-auth.ts'
import { type Method, show } from './method.ts'

/** A method; one that only changes something answers an empty object. */
type LocalMethod = (local: LocalStreams, params: ExactParams) => unknown

/** Methods by their names. */
export const localMethods: Readonly<Record<string, Method>> = Object.fromEntries(
  Object.entries({
    'local.create_stream': (local, params) =>
      createLocalStream(local, text(params, 'stream_id'), text(params, 'stream_type')),
    'local.delete_stream': (local, params) => deleteLocalStream(local, text(params, 'stream_id')),
    'local.insert_records': (local, params) => {
      const [ids, times, values] = [list(params, 'stream_id'), list(params, 'event_time'), list(params, 'value')]
      if (ids.length === 0) throw invalid('records must not be empty')
      if (ids.length !== times.length || ids.length !== values.length) throw invalid('array lengths mismatch')
      insertLocalRecords(
        local,
        ids.map((id, index) => ({
          streamId: asText(id, 'stream_id'),
          time: asInteger(times[index], 'event_time'),
          value: asText(values[index], 'value'),
        })),
      )
    },
    'local.insert_taxonomy': (local, params) => {
      const streamId = text(params, 'stream_id')
      const childIds = list(params, 'child_stream_ids').map((id) => asText(id, 'child_stream_ids'))
      const weights = list(params, 'weights').map((weight) => asText(weight, 'weights'))
      const startTime = asInteger(params.start_date, 'start_date')
      if (childIds.length === 0) throw invalid('there must be at least 1 child')
      if (childIds.length !== weights.length) throw invalid('child array lengths mismatch')
      const children = childIds.map((childId, index) => ({ childId, weight: weights[index] ?? '' }))
      insertLocalTaxonomy(local, { streamId, children, startTime })
    },
    'local.disable_taxonomy': (local, params) =>
      disableLocalTaxonomy(local, text(params, 'stream_id'), asInteger(params.group_sequence, 'group_sequence')),
    'local.get_record': (local, params) => {
      const rows = readLocalRecords(local, text(params, 'stream_id'), readSpan(params))
      return { records: rows.map((row) => ({ ...rowToJson(row), created_at: 0 })) }
    },
    'local.get_index': (local, params) => {
      const [streamId, span] = [text(params, 'stream_id'), readSpan(params)]
      return { records: readLocalIndex(local, streamId, span, bound(params, 'base_time')).map(rowToJson) }
    },
    'local.list_streams': (local) => ({
      streams: listLocalStreams(local).map((stream) => ({
        data_provider: stream.dataProvider,
        stream_id: stream.streamId,
        stream_type: stream.type,
        created_at: stream.createdAt,
      })),
    }),
  } satisfies Record<string, LocalMethod>).map(([name, method]: [string, LocalMethod]) => [name, toMethod(method)]),
)

function toMethod(method: LocalMethod): Method {
  return ({ node }, _params, name, request) => {
    if (!node.settings.hasLocalStreams) {
      throw new DevnodeError('local_failed', 'tn_local is disabled: this node has no secp256k1 operator key')
    }
    if (request.length > maxCharacters)
      throw invalid(`the request has ${request.length} characters, expected at most ${maxCharacters}`)
    const params = exactParams(request)
    if (node.settings.requiresLocalSignature) authenticateLocal(node, name, params)
    assertRoom(node, name)
    const local = openLocalStreams(node.store, node.settings)
    return { result: method(local, params) ?? {} }
  }
}

/** The longest request: some 5,700 records, which take 70 ms in one piece. */
const maxCharacters = 350_000

/** The methods that store more than was there. */
const growing: ReadonlySet<string> = new Set(['local.create_stream', 'local.insert_records', 'local.insert_taxonomy'])

/** Local streams share the bound of the ledger: nothing but it would end what they keep. */
function assertRoom({ store, settings }: Node, name: string): void {
  if (!growing.has(name) || store.size() < settings.maxStoreBytes) return
  throw new DevnodeError('local_failed', `failed to store: the node keeps ${store.size()} bytes already`)
}

/** Reads the parameters again from the text of the request: a double would lose digits that are signed. */
function exactParams(request: string): ExactParams {
  // The request has been parsed as an object whose params are an object or missing.
  const { params } = parseExactJson(request) as { params?: ExactParams | null }
  return params ?? {}
}

function text(params: ExactParams, name: string): string {
  return asText(params[name], name)
}

function list(params: ExactParams, name: string): readonly ExactJson[] {
  const value = params[name] ?? []
  if (Array.isArray(value)) return value
  throw invalid(`${name} is ${show(value)}, expected a list`)
}

function readSpan(params: ExactParams): Span {
  return { from: bound(params, 'from_time'), to: bound(params, 'to_time') }
}

function rowToJson({ time, value }: SeriesRow) {
  return { event_time: toNumber(time), value: numericText(value) }
}

/** A whole number as JSON writes it, with all its digits also beyond 2^53. */
function toNumber(value: bigint): unknown {
  const number = Number(value)
  // The types of the language do not have this function yet, its runtimes do.
  return Number.isSafeInteger(number) ? number : (JSON as unknown as RawJson).rawJSON(String(value))
}

interface RawJson {
  /** Marks text that JSON.stringify writes as it is. */
  rawJSON(text: string): unknown
}

function bound(params: ExactParams, name: string): bigint | undefined {
  const value = params[name]
  return value === undefined || value === null ? undefined : asInteger(value, name)
}

/** Reads text; what is missing or null is empty, as of a list or 0 of an integer: the extension's zeros. */
function asText(given: ExactJson | undefined, name: string): string {
  const value = given ?? ''
  if (typeof value === 'string') return value
  throw invalid(`${name} is ${show(value)}, expected text`)
}

function asInteger(given: ExactJson | undefined, name: string): bigint {
  const value = given ?? 0n
  const isWhole = typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value))
  const integer = isWhole ? BigInt(value) : undefined
  if (integer !== undefined && BigInt.asIntN(64, integer) === integer) return integer
  throw invalid(`${name} is ${show(value)}, expected a 64-bit integer`)
}
