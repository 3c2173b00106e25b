/** Configuration files and their YAML: a tree of maps, lists and scalars with their source, in the reference's dialect. */

import { type Alias, isAlias, isMap, isScalar, isSeq, type Node, type Scalar } from 'yaml'
import { decodeBase64 } from '../../base/base64.ts'
import type { Sliced } from '../../base/slices.ts'
import { parseSyntax, type YamlMistake, type YamlSyntax } from '../../base/yaml/syntax.ts'
import { deepest } from '../../base/yaml/token-check.ts'
import { type ScalarMeaning, scalarMeaning } from './scalar.ts'

/** A file of the configuration. */
export interface ConfigFile {
  /** Runtime key: the path below the runtime directory with `/` as `.`, for example `config.shop.a.yaml`. */
  readonly key: string
  readonly text: string
}

/** A value of the tree with the place it was written at. */
export type YamlNode = YamlMap | YamlList | YamlScalar

/**
 * A map as the reference reads it, which is twice: as a map, where of equal keys the last one counts, and into a
 * structure, which takes one pair after the other. `<<` puts the pairs of what it names in its own place.
 */
export interface YamlMap {
  readonly kind: 'map'
  readonly line: number
  /** Without duplicates. */
  readonly pairs: readonly YamlPair[]
  /** As written, duplicates and all. */
  readonly written: readonly YamlPair[]
}

/** One key of a map and its value. */
export interface YamlPair {
  readonly key: YamlNode
  readonly value: YamlNode
}

/** A list. */
interface YamlList {
  readonly kind: 'list'
  readonly line: number
  readonly items: readonly YamlNode[]
}

/** A scalar: its raw text and what it means. */
export interface YamlScalar {
  readonly kind: 'scalar'
  readonly line: number
  readonly text: string
  readonly meaning: ScalarMeaning
}

/** Nodes that aliases may unfold to before a text counts as an attack on memory. */
const mostNodes = 200_000

/** Leaves a deep walk at once: what it throws is caught in this file. */
type Fail = (node: Node, message: string) => never

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

function readTree(root: Node, lineOf: YamlSyntax['lineOf']): YamlNode | YamlMistake {
  let mistake: YamlMistake | null = null
  const fail: Fail = (node, message) => {
    mistake = { line: lineOf(node), message }
    throw mistake
  }
  const anchors = new Map<string, Node>()
  let unfolding = 0
  let unfolded = 0

  function read(node: unknown, depth: number): YamlNode {
    if (unfolding > 0) unfolded += 1
    if (!isAlias(node) && !isMap(node) && !isSeq(node) && !isScalar(node)) return nothing(1)
    if (unfolded > mostNodes) fail(node, 'aliases unfold to more than 200000 nodes')
    if (depth > deepest) fail(node, `nested deeper than ${deepest} levels`)
    if (isAlias(node)) return follow(node, depth)
    // The anchor is set once its node has been read, so an alias inside that node does not find it.
    const result = isMap(node)
      ? readMap(node, depth)
      : isSeq(node)
        ? readList(node, depth)
        : readScalar(node, lineOf, fail)
    if (node.anchor !== undefined) anchors.set(node.anchor, node)
    return result
  }

  function follow(alias: Alias, depth: number): YamlNode {
    const target = anchors.get(alias.source)
    if (target === undefined) return fail(alias, `unknown anchor '${alias.source}' referenced`)
    unfolding += 1
    const result = read(target, depth + 1)
    unfolding -= 1
    return result
  }

  function readList(node: Node & { items: unknown[] }, depth: number): YamlList {
    return { kind: 'list', line: lineOf(node), items: node.items.map((item) => read(item, depth + 1)) }
  }

  function readMap(node: Node & { items: { key: unknown; value: unknown }[] }, depth: number): YamlMap {
    const written: YamlPair[] = []
    for (const item of node.items) {
      const key = read(item.key, depth + 1)
      const value = read(item.value, depth + 1)
      if (key.kind !== 'scalar') fail(node, `invalid map key: ${goText(key)}`)
      else if (key.meaning.kind !== 'merge') written.push({ key, value })
      else for (const source of mergeSources(value, node, fail)) for (const pair of source.written) written.push(pair)
    }
    return { kind: 'map', line: lineOf(node), pairs: lastOfEach(written), written }
  }

  try {
    return read(root, 0)
  } catch (error) {
    if (mistake !== null && error === mistake) return mistake
    throw error
  }
}

/** In the order in which they are laid over one another: of a list the first counts most, so it comes last. */
function mergeSources(value: YamlNode, at: Node, fail: Fail): readonly YamlMap[] {
  const sources = value.kind === 'list' ? [...value.items].reverse() : [value]
  return sources.map((source) =>
    source.kind === 'map' ? source : fail(at, 'map merge requires map or sequence of maps as the value'),
  )
}

function readScalar(node: Scalar, lineOf: YamlSyntax['lineOf'], fail: Fail): YamlScalar {
  const text = String(node.value ?? '')
  const raw = isPlain(node) ? (node.source ?? text) : text
  const line = lineOf(node)
  if (shortTag(node) !== 'binary') return { kind: 'scalar', line, text: raw, meaning: readMeaning(node, raw, fail) }
  return { kind: 'scalar', line, text: readBinary(node, raw, fail), meaning: textMeaning }
}

function isPlain({ type }: Scalar): boolean {
  return type === 'PLAIN' || type === undefined || type === null
}

/** Reads the meaning of a scalar, by its tag where it has one. */
function readMeaning(node: Scalar, raw: string, fail: Fail): ScalarMeaning {
  const tag = shortTag(node)
  if (tag === undefined) return isPlain(node) ? scalarMeaning(raw) : textMeaning
  if (tag !== 'int' && tag !== 'float' && tag !== 'bool' && tag !== 'null') return textMeaning
  const meaning = scalarMeaning(raw)
  if (tag === 'float' && meaning.kind === 'int') return { kind: 'float', value: Number(meaning.value) }
  return meaning.kind === tag ? meaning : fail(node, `cannot decode '${raw}' as a !!${tag}`)
}

function readBinary(node: Scalar, raw: string, fail: Fail): string {
  const bytes = decoded(() => decodeBase64(raw.replace(/[\r\n]/g, '')))
  if (bytes === null) return fail(node, '!!binary value contains invalid base64 data')
  const text = decoded(() => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
  return text ?? fail(node, '!!binary value is not UTF-8')
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

/** Prints a value as Go's `%v` does, keys of maps sorted: for the error texts that show one, and keys of metadata. */
export function goText(node: YamlNode): string {
  if (node.kind === 'list') return `[${node.items.map(goText).join(' ')}]`
  if (node.kind === 'map') {
    const pairs = node.pairs.map(({ key, value }) => ({ key: goText(key), value: goText(value) }))
    const sorted = pairs.sort((a, b) => (a.key < b.key ? -1 : 1))
    return `map[${sorted.map(({ key, value }) => `${key}:${value}`).join(' ')}]`
  }
  const { meaning } = node
  if (meaning.kind === 'null') return '<nil>'
  if (meaning.kind === 'string' || meaning.kind === 'merge') return node.text
  return meaning.kind === 'float' ? goNumber(meaning.value) : String(meaning.value)
}

/** Exponents of two digits at least, from 1e+06 on and below 0.0001, and zero with its sign. */
function goNumber(value: number): string {
  if (Object.is(value, -0)) return '-0'
  const size = Math.abs(value)
  if (size === Number.POSITIVE_INFINITY) return value > 0 ? '+Inf' : '-Inf'
  const text = size >= 1e6 || (size > 0 && size < 1e-4) ? value.toExponential() : String(value)
  return text.replace(/e([+-])(\d)$/, (_, sign, digit) => `e${sign}0${digit}`)
}
