/** What an operation touches, and whether a token's scopes cover it. */

import { type ChildStreams, listChildren } from '../streamnet/taxonomy-children.ts'
import type { GatewayEntry } from './entries.ts'
import { GatewayError } from './errors.ts'
import type { Params } from './handle.ts'
import type { Area, Grant, Verb } from './tokens.ts'

/** The verb that an operation needs. */
export function verbOf({ kind }: Pick<GatewayEntry, 'kind'>): Verb {
  return kind === 'execute' || kind === 'job' ? 'write' : 'read'
}

/** Operations about a transaction, or about something without an owner: any token with the verb may ask. */
const open: ReadonlySet<string> = new Set(['wait_for_tx', 'get_transaction_event'])

/**
 * The areas that an operation touches with these parameters: one of its streams, the namespace of its role or
 * wallet, or everything when it is unknown. Nothing for an operation without an owner.
 *
 * @param own - the gateway's own address, whose streams are meant when no provider is named; undefined without a key.
 */
export function areasOf(entry: GatewayEntry, params: Params, own: string | undefined): readonly Area[] {
  if (entry.kind === 'local' || open.has(entry.name)) return []
  const streams = streamsOf(params, own)
  // A write changes the gateway's own streams; one that names a provider spends the gateway's tokens besides.
  const isSpending = verbOf(entry) === 'write' && params.dataProvider !== undefined
  if (streams.length > 0) return isSpending ? ['*'] : streams
  const namespace =
    params.owner ??
    (verbOf(entry) === 'read' ? (params.dataProvider ?? params.wallet ?? params.walletAddress) : undefined)
  return typeof namespace === 'string' ? [normalize(namespace)] : ['*']
}

/**
 * The streams that a write lets others read through: the children of a taxonomy, whose values the composed stream
 * gives away. They need a scope to read, beside the scope to write the composed stream.
 *
 * @param own - as for `areasOf()`.
 */
export function areasReadBy(entry: GatewayEntry, params: Params, own: string | undefined): readonly Area[] {
  if (entry.name !== 'set_taxonomy') return []
  // Shaped by readParams() as the catalogue's `child_streams`.
  const children = listChildren(params.childStreams as ChildStreams)
  return streamsOf({ locators: children.map(({ stream }) => stream) }, own)
}

/** Streams of a job that are kept one by one: a list of jobs tells those of each, and a row has room for 2 MB. */
const mostJobAreas = 1_000

/**
 * What a token must cover to see a job: the streams that it writes to, or their namespaces where they are very many.
 *
 * @param areas - those that `areasOf()` gives for the job.
 */
export function areasOfJob(areas: readonly Area[]): readonly Area[] {
  if (areas.length <= mostJobAreas) return areas
  return [...new Set(areas.map((area) => area.split('/', 1)[0] ?? area))]
}

/** The reads that compute a composed stream from the streams below it. */
const computed: ReadonlySet<string> = new Set([
  'get_records',
  'get_index',
  'get_index_change',
  'get_first_record',
  'get_last_record',
  'get_high_value',
  'get_low_value',
])

/**
 * Tells whether an operation gives away values of the streams below a composed stream.
 *
 * An operation that runs any action by its name does so too; that needs the scope for everything.
 */
export function isComputed({ name }: Pick<GatewayEntry, 'name'>): boolean {
  return computed.has(name)
}

/**
 * Tells whether a token may read a stream with any constituents: it may read everything, or has the scope
 * `read:<address>/<stream id>/composed`.
 */
export function mayReadWhole({ scopes }: Pick<Grant, 'scopes'>, stream: Area): boolean {
  return scopes.some(
    ({ verb, area, isComposed }) =>
      verb === 'read' && (area === '*' || (isComposed === true && covers(area, stream))),
  )
}

/**
 * Checks that a token may do something.
 *
 * @throws GatewayError forbidden when a scope is missing; the message names it.
 */
export function assertAllowed(grant: Pick<Grant, 'scopes'>, verb: Verb, areas: readonly Area[]): void {
  const missing = missingArea(grant, verb, areas)
  if (missing === undefined) return
  throw new GatewayError(
    'forbidden',
    `Cannot ${verb}: the token lacks the scope ${missing === '*' ? verb : `${verb}:${missing}`}`,
  )
}

/** Tells whether a token may do something. */
export function isCovered(grant: Pick<Grant, 'scopes'>, verb: Verb, areas: readonly Area[]): boolean {
  return missingArea(grant, verb, areas) === undefined
}

function missingArea(grant: Pick<Grant, 'scopes'>, verb: Verb, areas: readonly Area[]): Area | undefined {
  const scopes = grant.scopes.filter((scope) => scope.verb === verb)
  if (scopes.length === 0) return '*'
  return areas.find((area) => !scopes.some((scope) => covers(scope.area, area)))
}

function covers(scope: Area, area: Area): boolean {
  return scope === '*' || scope === area || area.startsWith(`${scope}/`)
}

function streamsOf(params: Params, own: string | undefined): readonly Area[] {
  const lists = [params.locators, params.batches, params.definitions].filter(Array.isArray)
  const owners = [...lists.flat(), params].filter(isStream)
  const areas = owners.map(
    ({ dataProvider = own ?? '', streamId }) => `${normalize(dataProvider)}/${streamId}`,
  )
  return [...new Set(areas)]
}

function isStream(value: unknown): value is { readonly streamId: string; readonly dataProvider?: string } {
  return (
    typeof value === 'object' && value !== null && 'streamId' in value && typeof value.streamId === 'string'
  )
}

/** `system`, or an address in lower case with `0x`. */
function normalize(namespace: string): string {
  const name = namespace.toLowerCase()
  return /^[0-9a-f]{40}$/.test(name) ? `0x${name}` : name
}
