/** The catalogue in words: types, parameters and whole tables as text, for command lines and documentation. */

import { type CatalogueEntry, type Parameter, type ParameterType, sending } from './entry.ts'
import type { LocalEntry } from './local-streams.ts'

/** Writes a type in a few words: `list of stream_id`, `{hash: tx_hash, height: integer} or null`. */
export function describeType(type: ParameterType): string {
  if (typeof type === 'string') return type
  if ('oneOf' in type) return type.oneOf.map((text) => `"${text}"`).join(', ')
  if ('list' in type) return `list of ${describeType(type.list)}`
  if ('map' in type) return `map from stream_id to ${describeType(type.map)}`
  if ('anyOf' in type) return type.anyOf.map(describeType).join(' or ')
  if ('nullable' in type) return `${describeType(type.nullable)} or null`
  const members = type.record.map(
    ({ name, type: member, required }) => `${name}${required ? '' : '?'}: ${describeType(member)}`,
  )
  return `{${members.join('; ')}}`
}

/** Writes a parameter with its type, default and bounds. */
export function describeParameter({ name, type, required, default: fallback, min, max }: Parameter): string {
  const rules = [
    ...(required ? [] : [fallback === undefined ? 'optional' : `default ${JSON.stringify(fallback)}`]),
    ...(min === undefined ? [] : [`at least ${min}`]),
    ...(max === undefined ? [] : [`at most ${max}`]),
  ]
  return `${name}: ${describeType(type)}${rules.length === 0 ? '' : ` (${rules.join(', ')})`}`
}

/** Writes entries as a Markdown table. What every write takes besides is left out of its row. */
export function catalogueTable(entries: readonly (CatalogueEntry | LocalEntry)[]): string {
  const rows = entries.map(({ name, kind, action, parameters, result, about }) => {
    const own = parameters.filter((parameter) => !sending.includes(parameter))
    const cells = [
      `\`${name}\``,
      kind,
      action === undefined ? '' : `\`${action}\``,
      own.map((parameter) => `\`${describeParameter(parameter)}\``).join('<br>'),
      `\`${describeType(result)}\``,
      about,
    ]
    return `| ${cells.join(' | ')} |`
  })
  return [
    '| Operation | Kind | Action | Parameters | Result | |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n')
}
