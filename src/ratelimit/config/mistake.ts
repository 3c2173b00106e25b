/** Mistakes in a configuration file: where they were made, in the reference's words, with a hint. */

import type { YamlMistake } from '../../base/yaml/syntax.ts'
import type { Mistake } from '../contract/configuration.ts'
import { scalarMeaning } from './scalar.ts'
import type { YamlNode } from './yaml-node.ts'

/** One mistake: the text without the file's key, and where it was made. */
export type DocumentMistake = Omit<Mistake, 'file'>

/** Mistakes of one file that are looked for; an answer lists about as many. */
export const mostMistakes = 2_000

/** Tells whether a file has as many mistakes as are looked for. */
export function hasTooMany(mistakes: readonly DocumentMistake[]): boolean {
  return mistakes.length >= mostMistakes
}

/** The mistakes of a file that was not read to its end because there were too many. */
export function tooMany(mistakes: readonly DocumentMistake[]): readonly DocumentMistake[] {
  const line = mistakes.at(-1)?.line ?? 1
  const message = `the file has more than ${mostMistakes} mistakes: what follows was not checked`
  return [...mistakes.slice(0, mostMistakes), { path: '', line, message, hint: 'mend these first' }]
}

/** A mistake of the YAML itself. */
export function syntaxMistake({ line, message }: YamlMistake): DocumentMistake {
  const mistake = loading('', line, message)
  const [, hint] = syntaxHints.find(([pattern]) => pattern.test(message)) ?? []
  return hint === undefined ? mistake : { ...mistake, hint }
}

/** Advice for the messages of the reader. */
const syntaxHints: readonly (readonly [said: RegExp, hint: string])[] = [
  [/\btabs?\b/i, 'indent with spaces'],
  [/\balias|anchor/i, 'text that begins with * or & needs quotes, for example "*.example.com"'],
  [/without - indicator|start at the same column/, 'begin the keys of one block in the same column'],
  [/^Nested mappings/, 'text with ": " in it needs quotes; the keys of one block begin in the same column'],
  [/^Plain value cannot start/, 'text that begins with this character needs quotes'],
  [/^Missing closing/, 'end the text with the quote that it begins with'],
  [/unknown escape/, 'write / without a backslash in front'],
  [/Unicode character escape/, 'write the character itself, or its number as \\U and eight digits'],
]

/** A mistake in the words of the reference's YAML reader. */
export function loading(path: string, line: number, reason: string): DocumentMistake {
  return { path, line, message: `error loading config file: yaml: line ${line}: ${reason}` }
}

/** A value of the wrong type, where `expected` such as `a string` is right. */
export function mismatch(path: string, node: YamlNode, expected: string): DocumentMistake {
  const mistake = loading(path, node.line, `cannot unmarshal ${typeName(node)} into ${expected}`)
  const hint = typeHint(path, node)
  return hint === undefined ? mistake : { ...mistake, hint }
}

/** Advice for values of the wrong type, where the type does not say it. */
function typeHint(path: string, node: YamlNode): string | undefined {
  if (path.endsWith('rate_limit')) return 'expected a block such as {unit: minute, requests_per_unit: 10}'
  if (path.endsWith('descriptors')) return 'expected a list, each item of which begins with "- key: NAME"'
  if (path.endsWith('replaces')) return 'expected a list such as [{name: NAME}]'
  if (node.kind !== 'scalar' || node.meaning.kind !== 'string') return undefined
  const { kind } = scalarMeaning(node.text)
  return kind === 'int' || kind === 'bool' ? 'leave out the quotes' : undefined
}

/** The YAML type of a value, and its text where it is a scalar: 40 characters at most. */
export function typeName(node: YamlNode): string {
  if (node.kind !== 'scalar') return node.kind === 'map' ? '!!map' : '!!seq'
  const tag = node.meaning.kind === 'string' ? 'str' : node.meaning.kind
  return `!!${tag} \`${node.text.length > 40 ? `${node.text.slice(0, 40)}...` : node.text}\``
}

/** The path of a key below another one; the path of the file is empty. */
export function joinPath(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`
}
