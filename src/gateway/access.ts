/** Scopes that an operation requires, checked against those of a token. */

import { type ChildStreams, listChildren } from '../streamnet/taxonomy-children.ts'
import type { GatewayEntry } from './entries.ts'
import { GatewayError } from './errors.ts'
import type { Params } from './handle.ts'
import type { Area, Grant, Verb } from './tokens.ts'

/** The verb that an operation needs. */
export function verbOf({ kind }: Pick<GatewayEntry, 'kind'>): Verb {
  return kind === 'execute' || kind === 'job' ? 'write' : 'read'
}

/**
 * The areas that a token must cover for an operation with these parameters: its streams, the namespace of its role or
 * wallet, or everything when it is unknown; none for a transaction, for which any token with the verb may ask.
 *
 * @param own - the gateway's own address, whose streams are meant when no provider is named; undefined without a key.
 */
export function requiredScopes(entry: GatewayEntry, params: Params, own: string | undefined): readonly Area[] {
  if (entry.kind === 'local' || entry.access === 'transaction') return []
  const streams = listStreams(params, own)
  // A write changes the gateway's own streams; one that names a provider spends the gateway's tokens besides.
  const isSpending = verbOf(entry) === 'write' && params.dataProvider !== undefined
  if (streams.length > 0) return isSpending ? ['*'] : streams
  const { owner, dataProvider, wallet, walletAddress } = params
  const namespace = verbOf(entry) === 'read' ? (owner ?? dataProvider ?? wallet ?? walletAddress) : owner
  return typeof namespace === 'string' ? [normalize(namespace)] : ['*']
}

/**
 * The streams that a write lets others read through: the children of a taxonomy, whose values the composed stream
 * gives away. They need a scope to read, beside the scope to write the composed stream.
 *
 * @param own - as for `requiredScopes()`.
 */
export function requiredReadScopes(entry: GatewayEntry, params: Params, own: string | undefined): readonly Area[] {
  if (entry.access !== 'children') return []
  // Shaped by readParams() as the catalogue's `child_streams`.
  const children = listChildren(params.childStreams as ChildStreams)
  return listStreams({ locators: children.map(({ stream }) => stream) }, own)
}

/** Streams of a job that are kept one by one: a list of jobs tells those of each, and a row has room for 2 MB. */
const mostJobAreas = 1_000

/** The areas that show a job to a token: those of its streams, or their namespaces where there are very many. */
export function jobScopes(areas: readonly Area[]): readonly Area[] {
  if (areas.length <= mostJobAreas) return areas
  return [...new Set(areas.map((area) => area.split('/', 1)[0] ?? area))]
}

/** Tells whether a token may read a stream with any constituents, by everything or a scope with `/composed`. */
export function canReadComposed({ scopes }: Pick<Grant, 'scopes'>, stream: Area): boolean {
  return scopes.some(
    ({ verb, area, isComposed }) => verb === 'read' && (area === '*' || (isComposed === true && covers(area, stream))),
  )
}

/** Checks that a token may run an operation with these parameters; gives the areas that it touches. */
export function authorize(
  grant: Pick<Grant, 'scopes'>,
  entry: GatewayEntry,
  params: Params,
  own: string | undefined,
): readonly Area[] {
  const areas = requiredScopes(entry, params, own)
  assertAllowed(grant, verbOf(entry), areas)
  const readBesides = requiredReadScopes(entry, params, own)
  if (readBesides.length > 0) assertAllowed(grant, 'read', readBesides)
  return areas
}

/** Checks that a token may do something; forbidden names the scope that is missing. */
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

function listStreams(params: Params, own: string | undefined): readonly Area[] {
  const lists = [params.locators, params.batches, params.definitions].filter(Array.isArray)
  const owners = [...lists.flat(), params].filter(isStream)
  const areas = owners.map(({ dataProvider = own ?? '', streamId }) => `${normalize(dataProvider)}/${streamId}`)
  return [...new Set(areas)]
}

function isStream(value: unknown): value is { readonly streamId: string; readonly dataProvider?: string } {
  return typeof value === 'object' && value !== null && 'streamId' in value && typeof value.streamId === 'string'
}

/** `system`, or an address in lower case with `0x`. */
function normalize(namespace: string): string {
  const name = namespace.toLowerCase()
  return /^[0-9a-f]{40}$/.test(name) ? `0x${name}` : name
}
