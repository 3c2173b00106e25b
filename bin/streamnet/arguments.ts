/** Parameters of an operation from the command line: text, read by the types of the catalogue. */

import type { ParseArgsConfig, parseArgs } from 'node:util'
import { messageOf } from '#base/errors.ts'
import { toCamelCase } from '#base/naming.ts'
import { nearest } from '#base/nearest.ts'
import type { CatalogueEntry, Parameter, ParameterType } from '#streamnet/catalogue/entry.ts'
import { findSlips } from '#streamnet/catalogue/slips.ts'
import { parseCommandLine } from '../command-line.ts'

/** A mistake in the command line; its message is for the person who typed it. */
export class UsageError extends Error {}

/** Writes text to standard output, and gives the exit code that follows. */
export function print(text: string, code = 0): number {
  process.stdout.write(text)
  return code
}

/** Reads the options of a command as `parseCommandLine` does; a UsageError, which begins with `action`, else. */
export function readOptions<T extends ParseArgsConfig>(
  action: string,
  config: T,
): ReturnType<typeof parseArgs<T>>['values'] {
  try {
    return parseCommandLine(action, config).values
  } catch (error) {
    throw new UsageError(messageOf(error))
  }
}

/** Reads `--name value` pairs into the parameters of an operation, names in camel case. */
export function readParameters(
  entry: Pick<CatalogueEntry, 'name' | 'parameters'>,
  pairs: ReadonlyMap<string, string>,
): object {
  const known = new Map(entry.parameters.map((parameter) => [parameter.name, parameter]))
  for (const name of pairs.keys()) {
    if (!known.has(name))
      throw new UsageError(`Cannot run ${entry.name}: it has no parameter "${name}"${perhaps(name, known.keys())}`)
  }
  const given = entry.parameters.flatMap((parameter) => {
    const text = pairs.get(parameter.name)
    if (text === undefined && parameter.required) {
      throw new UsageError(`Cannot run ${entry.name}: "${parameter.name}" is missing`)
    }
    return text === undefined ? [] : [[toCamelCase(parameter.name), readText(parameter, text)]]
  })
  const { force, ...params } = Object.fromEntries(given) as Readonly<Record<string, unknown>>
  const [slip] = force === true ? [] : findSlips(entry.name, params)
  if (slip === undefined) return params
  throw new UsageError(`Cannot run ${entry.name}: ${slip.path} ${slip.message}`)
}

function perhaps(name: string, known: Iterable<string>): string {
  const near = nearest(name, known)
  return near === undefined ? '' : `, perhaps "${near}"`
}

/** Reads a text by the type of its parameter: words and numbers as they are, bytes as hex, all else as JSON. */
function readText({ name, type }: Parameter, text: string): unknown {
  const mistake = (what: string) => new UsageError(`Cannot read "${name}": "${text}" is not ${what}`)
  if (type === 'boolean') {
    if (text === 'true' || text === 'false') return text === 'true'
    throw mistake('true or false')
  }
  if (type === 'integer' || type === 'number') {
    const value = Number(text)
    if (text.trim() === '' || Number.isNaN(value)) throw mistake('a number')
    return value
  }
  if (typeof type === 'string' && type !== 'bytes' && type !== 'argument') return text
  if (type === 'bytes') return readBytes(text, mistake)
  if (typeof type === 'object' && 'oneOf' in type) return text
  return readJson(type, parseJson(text, mistake), mistake)
}

type Mistake = (what: string) => UsageError

function readJson(type: ParameterType, value: unknown, mistake: Mistake): unknown {
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

function readAny(types: readonly ParameterType[], value: unknown, mistake: Mistake): unknown {
  const list = types.find((type) => typeof type === 'object' && 'list' in type)
  return list && Array.isArray(value) ? readJson(list, value, mistake) : value
}

function readRecord(members: readonly Parameter[], value: unknown, mistake: Mistake): object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw mistake('a JSON object')
  const known = new Map(members.map((member) => [member.name, member.type]))
  const entries = Object.entries(value).map(([name, member]) => {
    const type = known.get(name)
    if (type === undefined) throw mistake(`a record of ${[...known.keys()].join(', ')}`)
    return [toCamelCase(name), readJson(type, member, mistake)]
  })
  return Object.fromEntries(entries)
}

function readBytes(text: string, mistake: Mistake): Uint8Array {
  if (!/^(0x)?([0-9a-fA-F]{2})*$/.test(text)) throw mistake('hex')
  return Uint8Array.from(Buffer.from(text.replace(/^0x/, ''), 'hex'))
}

function parseJson(text: string, mistake: Mistake): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // A boolean filter, an amount: a single word needs no quotes.
    if (/^[\w.-]+$/.test(text)) return text
    throw mistake('JSON')
  }
}
