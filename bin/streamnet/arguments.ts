/** Parameters of an operation from the command line: text, read by the types of the catalogue. */

import { toCamelCase } from '#base/naming.ts'
import { nearest } from '#base/nearest.ts'
import type { CatalogueEntry, Parameter, ParameterType } from '#streamnet/catalogue/entry.ts'
import { findSlips } from '#streamnet/catalogue/slips.ts'
import { UsageError } from './command.ts'

type Operation = Pick<CatalogueEntry, 'name' | 'parameters'>

/**
 * Reads `--name value` pairs into the parameters of an operation, names in camel case.
 *
 * @throws UsageError when a name is unknown, a parameter is missing, or a value does not fit or is a slip.
 */
export function readParameters(operation: Operation, pairs: ReadonlyMap<string, string>): object {
  assertKnownNames(operation, pairs)
  const given = operation.parameters.flatMap((parameter) => {
    const text = pairs.get(parameter.name)
    if (text !== undefined) return [[toCamelCase(parameter.name), readText(parameter, text)] as const]
    if (parameter.required) throw new UsageError(`Cannot run ${operation.name}: "${parameter.name}" is missing`)
    return []
  })
  // `force` belongs to the command: it skips the check for slips.
  const { force, ...params } = Object.fromEntries(given)
  if (force !== true) assertNoSlips(operation, params)
  return params
}

function assertKnownNames({ name, parameters }: Operation, pairs: ReadonlyMap<string, string>): void {
  const known = new Set(parameters.map((parameter) => parameter.name))
  const unknown = [...pairs.keys()].find((one) => !known.has(one))
  if (unknown === undefined) return
  const near = nearest(unknown, known)
  const suggestion = near === undefined ? '' : `, perhaps "${near}"`
  throw new UsageError(`Cannot run ${name}: it has no parameter "${unknown}"${suggestion}`)
}

function assertNoSlips({ name }: Operation, params: object): void {
  const [slip] = findSlips(name, params)
  if (slip !== undefined) throw new UsageError(`Cannot run ${name}: ${slip.path} ${slip.message}`)
}

/** Reads a text by the type of its parameter: words as they are, bytes as hex, lists and records as JSON. */
function readText({ name, type }: Parameter, text: string): unknown {
  const mistake: MakeError = (what) => new UsageError(`Cannot read "${name}": "${text}" is not ${what}`)
  switch (type) {
    case 'boolean':
      return readBoolean(text, mistake)
    case 'integer':
    case 'number':
      return readNumber(text, mistake)
    case 'bytes':
      return readBytes(text, mistake)
    case 'argument':
      return parseJson(text, mistake)
    default:
      if (typeof type === 'string' || 'oneOf' in type) return text
      return readJson(type, parseJson(text, mistake), mistake)
  }
}

function readBoolean(text: string, mistake: MakeError): boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  throw mistake('true or false')
}

/** Reads a number; the operation checks that an integer is whole, and its bounds. */
function readNumber(text: string, mistake: MakeError): number {
  const value = Number(text)
  if (text.trim() === '' || Number.isNaN(value)) throw mistake('a number')
  return value
}

/** Makes the error for a text that is not `what`. */
type MakeError = (what: string) => UsageError

function readJson(type: ParameterType, value: unknown, mistake: MakeError): unknown {
  if (type === 'bytes' && typeof value === 'string') return readBytes(value, mistake)
  if (typeof type === 'string' || value === null) return value
  if ('anyOf' in type) return readAny(type.anyOf, value, mistake)
  if ('nullable' in type) return readJson(type.nullable, value, mistake)
  if ('list' in type) {
    if (!Array.isArray(value)) throw mistake('a JSON list')
    return value.map((one) => readJson(type.list, one, mistake))
  }
  if ('record' in type) return readRecord(type.record, value, mistake)
  return value
}

function readAny(types: readonly ParameterType[], value: unknown, mistake: MakeError): unknown {
  const list = types.find((type) => typeof type === 'object' && 'list' in type)
  return list && Array.isArray(value) ? readJson(list, value, mistake) : value
}

function readRecord(members: readonly Parameter[], value: unknown, mistake: MakeError): object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw mistake('a JSON object')
  const known = new Map(members.map((member) => [member.name, member.type]))
  const entries = Object.entries(value).map(([name, member]) => {
    const type = known.get(name)
    if (type === undefined) throw mistake(`a record of ${[...known.keys()].join(', ')}`)
    return [toCamelCase(name), readJson(type, member, mistake)]
  })
  return Object.fromEntries(entries)
}

function readBytes(text: string, mistake: MakeError): Uint8Array {
  if (!/^(0x)?([0-9a-fA-F]{2})*$/.test(text)) throw mistake('hex')
  return Uint8Array.from(Buffer.from(text.replace(/^0x/, ''), 'hex'))
}

function parseJson(text: string, mistake: MakeError): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // A boolean filter, an amount: a single word needs no quotes.
    if (/^[\w.-]+$/.test(text)) return text
    throw mistake('JSON')
  }
}
