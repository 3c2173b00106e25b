/** Reads without a token, so that a public page ships none: streams, operations and rate. */

import { isEntry, requireEntry } from './entries.ts'
import { GatewayError } from './errors.ts'
import { isReadable } from './routes.ts'
import { type Grant, parseReadScopes } from './tokens.ts'

/** Everything that callers without a token may do. */
export interface PublicRead {
  /** A grant without a token: the areas, to read. */
  readonly grant: Grant
  /** Operations by name, and those of `watchOperations` and `explorerOperations`. */
  readonly operations: ReadonlySet<string>
  /** Reads of one client address in a minute. */
  readonly perMinute: number
}

/** The operations that are open where the setting names none: reads of one stream, whose answers are bounded. */
export const publicOperations = [
  'get_records',
  'get_index',
  'get_index_change',
  'get_first_record',
  'get_type',
  'describe_taxonomy',
] as const

/** The names by which event streams are opened to callers without a token; all but the first need the area `*`. */
const watchOperations = ['watch_stream', 'watch_blocks', 'watch_market'] as const
/** The name of an event stream. */
export type WatchOperation = (typeof watchOperations)[number]

/** The names by which blocks and transactions are opened to them; these need the area `*`. */
const explorerOperations = ['list_blocks', 'get_block', 'list_transactions', 'get_transaction'] as const

interface PublicReadVariables {
  readonly STREAMNET_PUBLIC_READ?: string
  readonly STREAMNET_PUBLIC_OPERATIONS?: string
  readonly STREAMNET_PUBLIC_RATE?: string
}

/** Reads the settings; undefined unless `STREAMNET_PUBLIC_READ` is given, invalid_settings when it is malformed. */
export function parsePublicRead(variables: PublicReadVariables): PublicRead | undefined {
  const areas = parseList(variables.STREAMNET_PUBLIC_READ)
  if (areas.length === 0) return undefined
  const names = parseList(variables.STREAMNET_PUBLIC_OPERATIONS)
  const scopes = parseReadScopes(areas, 'STREAMNET_PUBLIC_READ')
  return {
    grant: { name: 'public', token: '', scopes },
    operations: new Set(names.length === 0 ? publicOperations : names.map(parseOperation)),
    perMinute: parseRate(variables.STREAMNET_PUBLIC_RATE),
  }
}

/** Names that can be opened beside operations of the catalogue. */
const furtherOperations: readonly string[] = [...watchOperations, ...explorerOperations]

function parseOperation(name: string): string {
  if (furtherOperations.includes(name)) return name
  const isKnown = isEntry(name)
  // A wait holds a request open for a minute.
  if (isKnown && isReadable(requireEntry(name)) && name !== 'wait_for_tx') return name
  const state = isKnown ? 'cannot be opened without a token' : 'does not exist'
  throw invalid(
    `STREAMNET_PUBLIC_OPERATIONS: "${name.slice(0, 64)}" ${state}, expected names of reading operations or ${furtherOperations.join(', ')}`,
  )
}

function parseRate(text: string | undefined): number {
  if (text === undefined || text.trim() === '') return 60
  if (/^[1-9]\d{0,5}$/.test(text.trim())) return Number(text)
  throw invalid(`STREAMNET_PUBLIC_RATE: it is "${text.slice(0, 64)}", expected reads in a minute from 1 to 999999`)
}

function parseList(text = ''): readonly string[] {
  return text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
}

function invalid(state: string): GatewayError {
  return new GatewayError('invalid_settings', `Cannot use ${state}`)
}
