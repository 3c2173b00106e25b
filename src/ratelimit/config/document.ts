/** The YAML of configuration files in the reference's dialect: aliases, merging and the meaning of scalars. */

import { type Alias, isAlias, isMap, isScalar, isSeq, type Node, type Scalar, type YAMLMap, type YAMLSeq } from 'yaml'
import { decodeBase64 } from '../../base/base64.ts'
import type { Sliced } from '../../base/slices.ts'
import { decodeUtf8 } from '../../base/utf8.ts'
import { parseSyntax, type YamlMistake, type YamlSyntax } from '../../base/yaml/syntax.ts'
import { deepest } from '../../base/yaml/token-check.ts'
import { type ScalarMeaning, scalarMeaning } from './scalar.ts'
import { goText, type YamlMap, type YamlNode, type YamlPair, type YamlScalar } from './yaml-node.ts'

/** Nodes that aliases may unfold to before a text counts as an attack on memory. */
const mostNodes = 200_000

/**
 * Parses the first document of a text.
 *
 * The `yaml` package does the syntax (see `syntax.ts`); what scalars mean, merging and aliases
 * are resolved here, because the package and the reference differ in them (see `scalar.ts`). Aliases that would
 * unfold to more than 200,000 nodes are refused, and `!!binary` values that are not UTF-8: no request can match such
 * a key, and the reference refuses them in metadata.
 */
export function* parseYaml(text: string): Sliced<YamlNode | YamlMistake> {
  const syntax = yield* parseSyntax(text)
  if ('message' in syntax) return syntax
  yield
  return syntax.root === null ? nothing(1) : readTree(syntax.root, syntax.lineOf)
}

/** Tells a mistake from a tree. */
export function isYamlMistake(result: YamlNode | YamlMistake): result is YamlMistake {
  return 'message' in result
}

/** A tree while it is read. */
interface Reading {
  readonly lineOf: YamlSyntax['lineOf']
  readonly anchors: Map<string, Node>
  /** Aliases that are being followed, and the nodes that were read below any. */
  following: number
  unfolded: number
  mistake: YamlMistake | null
}

function readTree(root: Node, lineOf: YamlSyntax['lineOf']): YamlNode | YamlMistake {
  const reading: Reading = { lineOf, anchors: new Map(), following: 0, unfolded: 0, mistake: null }
  try {
    return readNode(reading, root, 0)
  } catch (error) {
    if (reading.mistake !== null && error === reading.mistake) return reading.mistake
    throw error
  }
}

/** Leaves a deep walk at once; `readTree` returns the mistake. */
function fail(reading: Reading, node: Node, message: string): never {
  reading.mistake = { line: reading.lineOf(node), message }
  throw reading.mistake
}

function readNode(reading: Reading, node: unknown, depth: number): YamlNode {
  if (reading.following > 0) reading.unfolded += 1
  if (!isAlias(node) && !isMap(node) && !isSeq(node) && !isScalar(node)) return nothing(1)
  if (reading.unfolded > mostNodes) fail(reading, node, `aliases unfold to more than ${mostNodes} nodes`)
  if (depth > deepest) fail(reading, node, `nested deeper than ${deepest} levels`)
  if (isAlias(node)) return readAlias(reading, node, depth)
  const result = readValue(reading, node, depth)
  // The anchor is set once its node has been read, so an alias inside that node does not find it.
  if (node.anchor !== undefined) reading.anchors.set(node.anchor, node)
  return result
}

function readAlias(reading: Reading, alias: Alias, depth: number): YamlNode {
  const target = reading.anchors.get(alias.source)
  if (target === undefined) return fail(reading, alias, `unknown anchor '${alias.source}' referenced`)
  reading.following += 1
  const result = readNode(reading, target, depth + 1)
  reading.following -= 1
  return result
}

function readValue(reading: Reading, node: YAMLMap | YAMLSeq | Scalar, depth: number): YamlNode {
  if (isMap(node)) return readMap(reading, node, depth)
  if (isScalar(node)) return readScalar(reading, node)
  const items = node.items.map((item) => readNode(reading, item, depth + 1))
  return { kind: 'list', line: reading.lineOf(node), items }
}

function readMap(reading: Reading, node: YAMLMap, depth: number): YamlMap {
  const written: YamlPair[] = []
  for (const item of node.items) {
    const key = readNode(reading, item.key, depth + 1)
    const value = readNode(reading, item.value, depth + 1)
    if (key.kind !== 'scalar') return fail(reading, node, `invalid map key: ${goText(key)}`)
    if (key.meaning.kind !== 'merge') written.push({ key, value })
    else for (const source of mergeSources(reading, value, node)) for (const pair of source.written) written.push(pair)
  }
  return { kind: 'map', line: reading.lineOf(node), pairs: lastOfEach(written), written }
}

/** In the order in which they are laid over one another: of a list the first counts most, so it comes last. */
function mergeSources(reading: Reading, value: YamlNode, at: Node): readonly YamlMap[] {
  const sources = value.kind === 'list' ? value.items.toReversed() : [value]
  return sources.map((source) =>
    source.kind === 'map' ? source : fail(reading, at, 'map merge requires map or sequence of maps as the value'),
  )
}

function readScalar(reading: Reading, node: Scalar): YamlScalar {
  const line = reading.lineOf(node)
  const text = String(node.value ?? '')
  const raw = isPlain(node) ? (node.source ?? text) : text
  if (shortTag(node) !== 'binary') return { kind: 'scalar', line, text: raw, meaning: readMeaning(reading, node, raw) }
  return { kind: 'scalar', line, text: readBinary(reading, node, raw), meaning: textMeaning }
}

function isPlain({ type }: Scalar): boolean {
  return type === 'PLAIN' || type === undefined || type === null
}

/** Reads the meaning of a scalar, by its tag where it has one. */
function readMeaning(reading: Reading, node: Scalar, raw: string): ScalarMeaning {
  const tag = shortTag(node)
  if (tag === undefined) return isPlain(node) ? scalarMeaning(raw) : textMeaning
  if (tag !== 'int' && tag !== 'float' && tag !== 'bool' && tag !== 'null') return textMeaning
  const meaning = scalarMeaning(raw)
  if (tag === 'float' && meaning.kind === 'int') return { kind: 'float', value: Number(meaning.value) }
  return meaning.kind === tag ? meaning : fail(reading, node, `cannot decode '${raw}' as a !!${tag}`)
}

function readBinary(reading: Reading, node: Scalar, raw: string): string {
  const bytes = decoded(() => decodeBase64(raw.replace(/[\r\n]/g, '')))
  if (bytes === null) return fail(reading, node, '!!binary value contains invalid base64 data')
  const text = decoded(() => decodeUtf8(bytes))
  return text ?? fail(reading, node, '!!binary value is not UTF-8')
}

function decoded<T>(decode: () => T): T | null {
  try {
    return decode()
  } catch {
    return null
  }
}

const textMeaning: ScalarMeaning = { kind: 'string' }

function shortTag(node: Node): string | undefined {
  return node.tag?.replace('tag:yaml.org,2002:', '')
}

function lastOfEach(pairs: readonly YamlPair[]): readonly YamlPair[] {
  const last = new Map<string, YamlPair>()
  for (const pair of pairs) {
    const text = keyText(pair.key)
    // Deleted first, so that the order is that of the pairs which count.
    last.delete(text)
    last.set(text, pair)
  }
  return last.size === pairs.length ? pairs : [...last.values()]
}

function nothing(line: number): YamlScalar {
  return { kind: 'scalar', line, text: '', meaning: { kind: 'null' } }
}

/** One text per distinct key, so that `5` and `'5'` stay two keys and `a` twice is one. */
function keyText(key: YamlNode): string {
  return key.kind === 'scalar' ? `${key.meaning.kind} ${key.text}` : goText(key)
}
