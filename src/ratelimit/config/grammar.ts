/** The shape of one configuration file: which keys may appear, and what type each has. */

import type { Json, JsonObject } from '../../base/json.ts'
import { nearest } from '../../base/nearest.ts'
import {
  goText,
  isYamlMistake,
  parseYaml,
  type YamlMap,
  type YamlNode,
  type YamlPair,
  type YamlScalar,
} from './document.ts'
import type { YamlMistake } from './syntax.ts'

/** One mistake: the text without the file's key, and where it was made. */
export interface DocumentMistake {
  /** For example `descriptors[2].rate_limit.unit`; empty for the file as a whole. */
  readonly path: string
  readonly line: number
  /** The reference's text. */
  readonly message: string
  /** What would be right; absent where the text says it. */
  readonly hint?: string
}

/** A `rate_limit` block as written. */
export interface RateLimitBlock {
  readonly line: number
  /** Where `unit` is written; the line of the block where it is not. */
  readonly unitLine: number
  readonly unit: string
  readonly requestsPerUnit: number
  readonly unlimited: boolean
  readonly name: string
  readonly replaces: readonly string[]
}

/** A `descriptors` item as written. */
export interface DescriptorBlock {
  readonly line: number
  readonly key: string
  readonly value: string
  readonly rateLimit: RateLimitBlock | null
  readonly descriptors: readonly DescriptorBlock[]
  readonly shadowMode: boolean
  readonly quotaMode: boolean
  readonly detailedMetric: boolean
  readonly valueToMetric: boolean
  readonly shareThreshold: boolean
  readonly metadata: JsonObject | null
}

/** A configuration file as written. */
export interface ConfigDocument {
  readonly domain: string
  /** Where `domain` is written; 1 where it is not. */
  readonly domainLine: number
  readonly descriptors: readonly DescriptorBlock[]
}

/**
 * A readable document, or every mistake that keeps it from being one: then with what could be read, as far as it
 * was YAML, so that the mistakes further on can be listed too.
 */
export type DocumentResult =
  | { readonly document: ConfigDocument; readonly mistakes?: undefined }
  | { readonly mistakes: readonly DocumentMistake[]; readonly document?: ConfigDocument }

const validKeys = new Set([
  'domain',
  'key',
  'value',
  'descriptors',
  'rate_limit',
  'unit',
  'requests_per_unit',
  'unlimited',
  'shadow_mode',
  'quota_mode',
  'name',
  'replaces',
  'detailed_metric',
  'value_to_metric',
  'share_threshold',
  'metadata',
])

/**
 * Reads one file: its YAML, then the names of its keys, then their types. The mistakes come in this order, so that
 * the first is the one that the reference reports; for those after it, an unknown key counts as the known one that
 * was probably meant.
 *
 * Names are checked without regard to their level, so `shadow_mode` inside `rate_limit` is accepted and does
 * nothing.
 */
export function readDocument(text: string): DocumentResult {
  const tree = parseYaml(text)
  if (isYamlMistake(tree)) return { mistakes: [syntaxMistake(tree)] }
  if (isNull(tree)) return { document: { domain: '', domainLine: 1, descriptors: [] } }
  if (tree.kind !== 'map') {
    const message = `cannot unmarshal ${typeName(tree)} into a map`
    return { mistakes: [{ ...loading('', tree.line, message), hint: 'a file begins with "domain: NAME"' }] }
  }
  const mistakes: DocumentMistake[] = []
  checkKeys(tree, '', mistakes)
  const root = mistakes.length === 0 ? tree : withProbableKeys(tree)
  const document: ConfigDocument = {
    domain: readText(root, 'domain', '', mistakes),
    domainLine: valuesOf(root, 'domain').at(-1)?.line ?? 1,
    descriptors: readDescriptors(root, '', mistakes),
  }
  return mistakes.length > 0 ? { mistakes, document } : { document }
}

function syntaxMistake({ line, message }: YamlMistake): DocumentMistake {
  const mistake = loading('', line, message)
  return /tab/i.test(message) ? { ...mistake, hint: 'indent with spaces' } : mistake
}

/** The tree with every unknown key under the name that it probably means, unless that name is there already. */
function withProbableKeys<T extends YamlNode>(node: T): T {
  if (node.kind === 'list') return { ...node, items: node.items.map(withProbableKeys) }
  if (node.kind !== 'map') return node
  const present = new Set(node.written.map(({ key }) => (key.kind === 'scalar' ? key.text : '')))
  const probable = ({ key, value }: YamlPair): YamlPair => {
    const near = key.kind === 'scalar' && !validKeys.has(key.text) ? nearest(key.text, validKeys) : undefined
    const isMeant = key.kind === 'scalar' && near !== undefined && !present.has(near)
    return { key: isMeant ? { ...key, text: near } : key, value: withProbableKeys(value) }
  }
  return { ...node, pairs: node.pairs.map(probable), written: node.written.map(probable) }
}

function checkKeys(map: YamlMap, path: string, mistakes: DocumentMistake[]): void {
  for (const { key, value } of map.pairs) {
    const at = join(path, goText(key))
    if (key.kind !== 'scalar' || key.meaning.kind !== 'string') {
      mistakes.push({
        path: at,
        line: key.line,
        message: `config error, key is not of type string: ${goText(key)}`,
        hint: 'a key is a word; YAML reads this one as something else unless it is in quotes',
      })
      continue
    }
    if (!validKeys.has(key.text)) {
      const message = `config error, unknown key '${key.text}'`
      mistakes.push({ path: at, line: key.line, message, hint: keyHint(key.text) })
      continue
    }
    // What is below metadata belongs to the user.
    if (key.text !== 'metadata') checkValue(value, at, mistakes)
  }
}

function keyHint(name: string): string {
  const near = nearest(name, validKeys)
  return near === undefined ? `expected one of ${[...validKeys].join(', ')}` : `did you mean "${near}"?`
}

function checkValue(value: YamlNode, path: string, mistakes: DocumentMistake[]): void {
  if (value.kind === 'map') {
    checkKeys(value, path, mistakes)
    return
  }
  if (value.kind === 'scalar') {
    if (value.meaning.kind === 'float') {
      const hint = `${value.text} is not a whole number of 64 bits; in quotes it is text`
      mistakes.push({ path, line: value.line, message: 'error checking config', hint })
    }
    return
  }
  for (const [index, item] of value.items.entries()) {
    const at = `${path}[${index}]`
    if (item.kind === 'map') checkKeys(item, at, mistakes)
    else {
      const message = `config error, yaml file contains list of type other than map: ${goText(item)}`
      mistakes.push({ path: at, line: item.line, message, hint: listHint(path) })
    }
  }
}

/** Lists hold maps alone, so `replaces: [a]` is `replaces: [{name: a}]`. */
function listHint(path: string): string {
  return path.endsWith('replaces')
    ? 'expected items such as {name: NAME}'
    : 'expected items that begin with "key: NAME"'
}

function readDescriptors(map: YamlMap, path: string, mistakes: DocumentMistake[]): DescriptorBlock[] {
  return readItems(map, 'descriptors', path, mistakes, readDescriptor)
}

function readDescriptor(map: YamlMap, path: string, mistakes: DocumentMistake[]): DescriptorBlock {
  return {
    line: map.line,
    key: readText(map, 'key', path, mistakes),
    value: readText(map, 'value', path, mistakes),
    rateLimit: readRateLimit(map, path, mistakes),
    descriptors: readDescriptors(map, path, mistakes),
    shadowMode: readFlag(map, 'shadow_mode', path, mistakes),
    quotaMode: readFlag(map, 'quota_mode', path, mistakes),
    detailedMetric: readFlag(map, 'detailed_metric', path, mistakes),
    valueToMetric: readFlag(map, 'value_to_metric', path, mistakes),
    shareThreshold: readFlag(map, 'share_threshold', path, mistakes),
    metadata: readMetadata(map, path, mistakes),
  }
}

function readRateLimit(parent: YamlMap, path: string, mistakes: DocumentMistake[]): RateLimitBlock | null {
  const at = join(path, 'rate_limit')
  const map = mergedMap(parent, 'rate_limit', path, mistakes)
  if (map === null) return null
  return {
    line: map.line,
    unitLine: valuesOf(map, 'unit').at(-1)?.line ?? map.line,
    unit: readText(map, 'unit', at, mistakes),
    requestsPerUnit: readUint32(map, 'requests_per_unit', at, mistakes),
    unlimited: readFlag(map, 'unlimited', at, mistakes),
    name: readText(map, 'name', at, mistakes),
    replaces: readItems(map, 'replaces', at, mistakes, (item, place) =>
      readText(item, 'name', place, mistakes),
    ),
  }
}

/**
 * The map of a key as a structure: written twice, the pairs of the second are added to those of the first, where a
 * null between them forgets what came before.
 */
function mergedMap(parent: YamlMap, key: string, path: string, mistakes: DocumentMistake[]): YamlMap | null {
  let merged: YamlMap | null = null
  for (const value of valuesOf(parent, key)) {
    if (isNull(value)) merged = null
    else if (value.kind !== 'map') mistakes.push(mismatch(join(path, key), value, 'a map'))
    else merged = merged === null ? value : { ...value, written: [...merged.written, ...value.written] }
  }
  return merged
}

/** The items of a list of maps; written twice, the last list counts and every one must be right. */
function readItems<T>(
  map: YamlMap,
  key: string,
  path: string,
  mistakes: DocumentMistake[],
  read: (item: YamlMap, path: string, mistakes: DocumentMistake[]) => T,
): T[] {
  const at = join(path, key)
  let items: T[] = []
  for (const value of valuesOf(map, key)) {
    if (isNull(value)) items = []
    else if (value.kind !== 'list') mistakes.push(mismatch(at, value, 'a list'))
    else {
      items = value.items.flatMap((item, index) =>
        item.kind === 'map' ? [read(item, `${at}[${index}]`, mistakes)] : [],
      )
    }
  }
  return items
}

/** A string field keeps the raw text of any scalar: `value: yes` is "yes", `domain: 5` is "5". */
function readText(map: YamlMap, key: string, path: string, mistakes: DocumentMistake[]): string {
  return readScalar(map, key, path, 'a string', '', (scalar) => scalar.text, mistakes)
}

function readFlag(map: YamlMap, key: string, path: string, mistakes: DocumentMistake[]): boolean {
  const read = ({ meaning }: YamlScalar) => (meaning.kind === 'bool' ? meaning.value : null)
  return readScalar(map, key, path, 'a boolean', false, read, mistakes)
}

function readUint32(map: YamlMap, key: string, path: string, mistakes: DocumentMistake[]): number {
  return readScalar(map, key, path, 'a whole number from 0 to 4294967295', 0, uint32Of, mistakes)
}

/** A fraction is cut off: it gets here in a map alone that another of the same key follows, which nothing checks. */
function uint32Of({ meaning }: YamlScalar): number | null {
  if (meaning.kind !== 'int' && meaning.kind !== 'float') return null
  const value = Math.trunc(Number(meaning.value))
  return value >= 0 && value <= 4_294_967_295 ? value : null
}

function readScalar<T>(
  map: YamlMap,
  key: string,
  path: string,
  expected: string,
  absent: T,
  read: (scalar: YamlScalar) => T | null,
  mistakes: DocumentMistake[],
): T {
  let last = absent
  for (const value of valuesOf(map, key)) {
    const result = isNull(value) ? absent : value.kind === 'scalar' ? read(value) : null
    if (result === null) mistakes.push(mismatch(join(path, key), value, expected))
    last = result ?? absent
  }
  return last
}

function readMetadata(map: YamlMap, path: string, mistakes: DocumentMistake[]): JsonObject | null {
  const merged = mergedMap(map, 'metadata', path, mistakes)
  if (merged === null || merged.written.length === 0) return null
  // At the top all keys are read as text.
  return Object.fromEntries(merged.written.map(({ key, value }) => [scalarText(key), toJson(value)]))
}

function scalarText(node: YamlNode): string {
  return node.kind === 'scalar' && node.meaning.kind !== 'null' ? node.text : ''
}

/** Below the top, keys are printed as what they mean: `0x10` is "16", `yes` is "true". */
function toObject(map: YamlMap): JsonObject {
  return Object.fromEntries(map.pairs.map(({ key, value }) => [goText(key), toJson(value)]))
}

/** Numbers that are not finite are kept: the binary form of an answer can carry them. */
function toJson(node: YamlNode): Json {
  if (node.kind === 'map') return toObject(node)
  if (node.kind === 'list') return node.items.map(toJson)
  const { meaning } = node
  if (meaning.kind === 'null') return null
  if (meaning.kind === 'bool') return meaning.value
  return meaning.kind === 'string' || meaning.kind === 'merge' ? node.text : Number(meaning.value)
}

/** Every value that a key was given, in the order in which they count. */
function valuesOf(map: YamlMap, key: string): readonly YamlNode[] {
  const values: YamlNode[] = []
  for (const pair of map.written) {
    if (pair.key.kind === 'scalar' && pair.key.text === key) values.push(pair.value)
  }
  return values
}

function isNull(node: YamlNode): boolean {
  return node.kind === 'scalar' && node.meaning.kind === 'null'
}

function loading(path: string, line: number, reason: string): DocumentMistake {
  return { path, line, message: `error loading config file: yaml: line ${line}: ${reason}` }
}

function mismatch(path: string, node: YamlNode, expected: string): DocumentMistake {
  return loading(path, node.line, `cannot unmarshal ${typeName(node)} into ${expected}`)
}

function typeName(node: YamlNode): string {
  if (node.kind !== 'scalar') return node.kind === 'map' ? '!!map' : '!!seq'
  const tag = node.meaning.kind === 'string' ? 'str' : node.meaning.kind
  return `!!${tag} \`${node.text.length > 40 ? `${node.text.slice(0, 40)}...` : node.text}\``
}

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`
}
