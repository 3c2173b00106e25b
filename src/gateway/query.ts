/** The query of a GET as parameters: text, lists by repetition, structures as JSON. */

import type { ParameterType } from '../streamnet/catalogue/entry.ts'
import type { GatewayEntry } from './entries.ts'
import { parseJson } from './json.ts'

/** Reads a query into what a body would have held; a wrong value stays as it is, for `readParams` to refuse. */
export function readQuery(entry: GatewayEntry, query: URLSearchParams): Readonly<Record<string, unknown>> {
  const names = [...new Set(query.keys())]
  return Object.fromEntries(
    names.map((name) => {
      const type = entry.parameters.find((parameter) => parameter.name === name)?.type
      return [name, readValues(type, query.getAll(name))]
    }),
  )
}

function readValues(type: ParameterType | undefined, values: readonly string[]): unknown {
  const [first = ''] = values
  const isList = typeof type === 'object' && 'list' in type
  if (isList && !(values.length === 1 && first.startsWith('[')))
    return values.map((value) => readValue(type.list, value))
  return values.length === 1 ? readValue(type, first) : values
}

function readValue(type: ParameterType | undefined, text: string): unknown {
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
  if (type === 'number') return text === '' ? text : Number(text)
  const isStructure = type === 'argument' || (typeof type === 'object' && !('oneOf' in type))
  if (!isStructure) return text
  try {
    return parseJson(text)
  } catch {
    return text
  }
}
