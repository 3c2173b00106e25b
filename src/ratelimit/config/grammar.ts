/** The shape of one configuration file: which keys may appear, and what type each has. */

import type { Json } from '../types.ts'
import { goText, isYamlMistake, parseYaml, type YamlMap, type YamlNode, type YamlScalar } from './document.ts'

/** One mistake: the text without the file's key, and where it was made. */
export interface DocumentMistake {
  /** For example `descriptors[2].rate_limit.unit`; empty for the file as a whole. */
  readonly path: string
  readonly line: number
  readonly message: string
}

/** A `rate_limit` block as written. */
export interface RateLimitBlock {
  readonly line: number
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
  readonly metadata: { readonly [key: string]: Json } | null
}

/** A configuration file as written. */
export interface ConfigDocument {
  readonly domain: string
  readonly descriptors: readonly DescriptorBlock[]
}

/** A readable document, or every mistake that keeps it from being one. */
export type DocumentResult =
  | { readonly document: ConfigDocument }
  | { readonly mistakes: readonly DocumentMistake[] }

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
 * Reads one file: its YAML, then the names of its keys, then their types, each stage only when the one before
 * found nothing, as in the reference.
 *
 * Names are checked without regard to their level, so `shadow_mode` inside `rate_limit` is accepted and does
 * nothing.
 */
export function readDocument(text: string): DocumentResult {
  const tree = parseYaml(text)
  if (isYamlMistake(tree)) return { mistakes: [loading('', tree.line, tree.message)] }
  if (isNull(tree)) return { document: { domain: '', descriptors: [] } }
  if (tree.kind !== 'map') {
    return { mistakes: [loading('', tree.line, `cannot unmarshal ${typeName(tree)} into a map`)] }
  }
  const mistakes: DocumentMistake[] = []
  checkKeys(tree, '', mistakes)
  if (mistakes.length > 0) return { mistakes }
  const document: ConfigDocument = {
    domain: readText(tree, 'domain', '', mistakes),
    descriptors: readDescriptors(tree, '', mistakes),
  }
  return mistakes.length > 0 ? { mistakes } : { document }
}

function checkKeys(map: YamlMap, path: string, mistakes: DocumentMistake[]): void {
  for (const { key, value } of map.pairs) {
    const at = join(path, goText(key))
    if (key.kind !== 'scalar' || key.meaning.kind !== 'string') {
      mistakes.push({
        path: at,
        line: key.line,
        message: `config error, key is not of type string: ${goText(key)}`,
      })
      continue
    }
    if (!validKeys.has(key.text)) {
      mistakes.push({ path: at, line: key.line, message: `config error, unknown key '${key.text}'` })
      continue
    }
    // What is below metadata belongs to the user.
    if (key.text !== 'metadata') checkValue(value, at, mistakes)
  }
}

function checkValue(value: YamlNode, path: string, mistakes: DocumentMistake[]): void {
  if (value.kind === 'map') {
    checkKeys(value, path, mistakes)
    return
  }
  if (value.kind === 'scalar') {
    if (value.meaning.kind === 'float') {
      mistakes.push({ path, line: value.line, message: 'error checking config' })
    }
    return
  }
  for (const [index, item] of value.items.entries()) {
    const at = `${path}[${index}]`
    if (item.kind === 'map') checkKeys(item, at, mistakes)
    else {
      const message = `config error, yaml file contains list of type other than map: ${goText(item)}`
      mistakes.push({ path: at, line: item.line, message })
    }
  }
}

function readDescriptors(map: YamlMap, path: string, mistakes: DocumentMistake[]): DescriptorBlock[] {
  return readItems(map, 'descriptors', path, mistakes).map(({ item, at }) =>
    readDescriptor(item, at, mistakes),
  )
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
  const map = find(parent, 'rate_limit')
  if (map === undefined || isNull(map)) return null
  if (map.kind !== 'map') {
    mistakes.push(mismatch(at, map, 'a map'))
    return null
  }
  return {
    line: map.line,
    unit: readText(map, 'unit', at, mistakes),
    requestsPerUnit: readUint32(map, 'requests_per_unit', at, mistakes),
    unlimited: readFlag(map, 'unlimited', at, mistakes),
    name: readText(map, 'name', at, mistakes),
    replaces: readItems(map, 'replaces', at, mistakes).map(({ item, at: place }) =>
      readText(item, 'name', place, mistakes),
    ),
  }
}

function readItems(
  map: YamlMap,
  key: string,
  path: string,
  mistakes: DocumentMistake[],
): readonly { readonly item: YamlMap; readonly at: string }[] {
  const at = join(path, key)
  const value = find(map, key)
  if (value === undefined || isNull(value)) return []
  if (value.kind !== 'list') {
    mistakes.push(mismatch(at, value, 'a list'))
    return []
  }
  return value.items.flatMap((item, index) => (item.kind === 'map' ? [{ item, at: `${at}[${index}]` }] : []))
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
  const read = ({ meaning }: YamlScalar) =>
    meaning.kind === 'int' && meaning.value >= 0n && meaning.value <= 4_294_967_295n
      ? Number(meaning.value)
      : null
  return readScalar(map, key, path, 'a whole number from 0 to 4294967295', 0, read, mistakes)
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
  const value = find(map, key)
  if (value === undefined || isNull(value)) return absent
  const result = value.kind === 'scalar' ? read(value) : null
  if (result === null) mistakes.push(mismatch(join(path, key), value, expected))
  return result ?? absent
}

function readMetadata(
  map: YamlMap,
  path: string,
  mistakes: DocumentMistake[],
): { readonly [key: string]: Json } | null {
  const at = join(path, 'metadata')
  const value = find(map, 'metadata')
  if (value === undefined || isNull(value)) return null
  if (value.kind !== 'map') {
    mistakes.push(mismatch(at, value, 'a map'))
    return null
  }
  return toObject(value, at, mistakes)
}

function toObject(map: YamlMap, path: string, mistakes: DocumentMistake[]): { readonly [key: string]: Json } {
  return Object.fromEntries(
    map.pairs.map(({ key, value }) => {
      const at = join(path, goText(key))
      if (key.kind !== 'scalar' || key.meaning.kind !== 'string') {
        const message = `error parsing metadata: key is not of type string: ${goText(key)}`
        mistakes.push({ path: at, line: key.line, message })
      }
      return [goText(key), toJson(value, at, mistakes)]
    }),
  )
}

function toJson(node: YamlNode, path: string, mistakes: DocumentMistake[]): Json {
  if (node.kind === 'map') return toObject(node, path, mistakes)
  if (node.kind === 'list')
    return node.items.map((item, index) => toJson(item, `${path}[${index}]`, mistakes))
  const { meaning } = node
  if (meaning.kind === 'null') return null
  if (meaning.kind === 'bool') return meaning.value
  if (meaning.kind === 'string' || meaning.kind === 'merge') return node.text
  const number = Number(meaning.value)
  if (Number.isFinite(number)) return number
  mistakes.push({
    path,
    line: node.line,
    message: `error parsing metadata: ${node.text} is not a finite number`,
  })
  return null
}

function find(map: YamlMap, key: string): YamlNode | undefined {
  return map.pairs.find((pair) => pair.key.kind === 'scalar' && pair.key.text === key)?.value
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
