/**
 * Slips in parameters that are well formed: a date in milliseconds, an empty name. What they make stays for good, so
 * the gateway and the command line refuse them unless `force` is set. The client takes them, as its description has it.
 */

import { type CatalogueEntry, optional } from './entry.ts'

/** A slip: where it is in the parameters, and a sentence about it. */
export interface Slip {
  readonly path: string
  readonly message: string
}

const slippery = new Set([
  'generate_stream_id',
  'insert_record',
  'insert_records',
  'batch_insert_records',
  'insert_all',
])

const force = optional('force', 'boolean', 'Take a date in the far future and an empty name.', { default: false })

/** Adds the parameter `force` to an operation in which one can slip. */
export function withForce<Entry extends Pick<CatalogueEntry, 'name' | 'parameters'>>(entry: Entry): Entry {
  return slippery.has(entry.name) ? { ...entry, parameters: [...entry.parameters, force] } : entry
}

/** The first second that is not a date of records: in milliseconds it is 3 March 1973, in seconds the year 5138. */
const farFuture = 1e11

/** Finds the slips in the parameters of an operation. */
export function* findSlips(name: string, params: object): Generator<Slip> {
  if (!slippery.has(name)) return
  if (name === 'generate_stream_id') {
    const isEmpty = 'name' in params && String(params.name).trim() === ''
    if (isEmpty) yield { path: 'name', message: 'is empty, expected a name; force takes it as it is' }
    return
  }
  yield* slipsIn(params, '')
}

function* slipsIn(value: object, path: string): Generator<Slip> {
  for (const [name, member] of Object.entries(value) as [string, unknown][]) {
    const place = Array.isArray(value) ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`
    if (typeof member === 'object' && member !== null) yield* slipsIn(member, place)
    const date = dateNames[name] === undefined ? 0 : Number(member)
    if (Math.abs(date) < farFuture) continue
    const message = `is ${date}, expected Unix time in seconds: if these are milliseconds, ${Math.floor(date / 1000)}; force takes it as it is`
    yield { path: place.replace(/\w+$/, dateNames[name] ?? ''), message }
  }
}

/** The members that are the date of a record, by the client's names, with those of the catalogue. */
const dateNames: Readonly<Record<string, string | undefined>> = { date: 'date', eventTime: 'event_time' }
