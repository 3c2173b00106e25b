/** The shape of one configuration file: its blocks, and the fields that each block has. */

import type { JsonObject } from '../../base/json.ts'
import type { Sliced } from '../../base/slices.ts'
import { isYamlMistake, parseYaml } from './document.ts'
import { type Fields, findLine, isNull, readFlag, readItems, readMap, readText, readUint32 } from './fields.ts'
import { checkKeys, withProbableKeys } from './keys.ts'
import { toMetadata } from './metadata.ts'
import { type DocumentMistake, hasTooMany, joinPath, loading, syntaxMistake, tooMany, typeName } from './mistake.ts'
import type { YamlMap, YamlNode } from './yaml-node.ts'

/** A `rate_limit` block as written. */
export interface RateLimitBlock {
  readonly line: number
  /** Line of `unit`; that of the block where `unit` is missing. */
  readonly unitLine: number
  readonly unit: string
  readonly requestsPerUnit: number
  readonly unlimited: boolean
  readonly name: string
  readonly replaces: readonly string[]
  readonly sluice: SluiceBlock | null
}

/** A `sluice` block as written: what the reference does not have. Texts are empty where they are missing. */
export interface SluiceBlock {
  readonly line: number
  readonly algorithm: string
  readonly charge: string
  readonly timeZone: string
  readonly unsettled: string
  readonly unitMultiplier: number | undefined
  readonly burst: number | undefined
  /** Seconds. */
  readonly timeToLive: number | undefined
  /** Further limits of the descriptor. */
  readonly limits: readonly RateLimitBlock[]
}

/** A `sluice` block of a descriptor as written. Texts are empty where they are missing. */
interface PatternBlock {
  readonly line: number
  readonly name: string
  /** Values, separated by commas or blanks. */
  readonly values: string
  /** Networks, separated by commas or blanks. */
  readonly cidr: string
  /** An expression for whole values. */
  readonly matches: string
}

/** A `descriptors` item as written. */
export interface DescriptorBlock {
  readonly line: number
  readonly key: string
  readonly value: string
  readonly pattern: PatternBlock | null
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
interface ConfigDocument {
  readonly domain: string
  /** Line of `domain`; 1 where it is missing. */
  readonly domainLine: number
  readonly descriptors: readonly DescriptorBlock[]
}

/** A readable document, or its mistakes with what could be read, so that the mistakes further on are listed too. */
export type DocumentResult =
  | { readonly document: ConfigDocument; readonly mistakes?: undefined }
  | { readonly mistakes: readonly DocumentMistake[]; readonly document?: ConfigDocument }

/**
 * Reads one file: its YAML, then the names of its keys, then their types. The mistakes come in this order, so that
 * the first is the one that the reference reports; for those after it, an unknown key counts as the known one that
 * was probably meant. A file with more than `mostMistakes` is not read further.
 */
export function* readDocument(text: string): Sliced<DocumentResult> {
  const tree = yield* parseYaml(text)
  yield
  if (isYamlMistake(tree)) return { mistakes: [syntaxMistake(tree)] }
  if (isNull(tree)) return { document: { domain: '', domainLine: 1, descriptors: [] } }
  if (tree.kind !== 'map') {
    const message = `cannot unmarshal ${typeName(tree)} into a map`
    return { mistakes: [{ ...loading('', tree.line, message), hint: 'a file begins with "domain: NAME"' }] }
  }
  const mistakes: DocumentMistake[] = []
  checkKeys(tree, '', mistakes)
  if (hasTooMany(mistakes)) return { mistakes: tooMany(mistakes) }
  yield
  const map = mistakes.length === 0 ? tree : withProbableKeys(tree)
  const root: Fields = { map, path: '', mistakes }
  const document: ConfigDocument = {
    domain: readText(root, 'domain'),
    domainLine: findLine(root, 'domain') ?? 1,
    descriptors: readItems(root, 'descriptors', readDescriptor),
  }
  if (hasTooMany(mistakes)) return { mistakes: tooMany(mistakes) }
  return mistakes.length > 0 ? { mistakes, document } : { document }
}

function readDescriptor(fields: Fields): DescriptorBlock {
  return {
    line: fields.map.line,
    key: readText(fields, 'key'),
    value: readText(fields, 'value'),
    pattern: readPattern(fields),
    rateLimit: readRateLimit(fields),
    descriptors: readItems(fields, 'descriptors', readDescriptor),
    shadowMode: readFlag(fields, 'shadow_mode'),
    quotaMode: readFlag(fields, 'quota_mode'),
    detailedMetric: readFlag(fields, 'detailed_metric'),
    valueToMetric: readFlag(fields, 'value_to_metric'),
    shareThreshold: readFlag(fields, 'share_threshold'),
    metadata: readMetadata(fields),
  }
}

function readPattern(parent: Fields): PatternBlock | null {
  const map = readMap(parent, 'sluice')
  if (map === null) return null
  const fields: Fields = { ...parent, map, path: joinPath(parent.path, 'sluice') }
  const read = (key: string) => readText(fields, key)
  return { line: map.line, name: read('name'), values: read('values'), cidr: read('cidr'), matches: read('matches') }
}

function readRateLimit(parent: Fields): RateLimitBlock | null {
  const map = readMap(parent, 'rate_limit', blockOfNull)
  if (map === null) return null
  return readLimitBlock({ ...parent, map, path: joinPath(parent.path, 'rate_limit') })
}

function readLimitBlock(fields: Fields): RateLimitBlock {
  const { map } = fields
  return {
    line: map.line,
    unitLine: findLine(fields, 'unit') ?? map.line,
    unit: readText(fields, 'unit'),
    requestsPerUnit: readUint32(fields, 'requests_per_unit'),
    unlimited: readFlag(fields, 'unlimited'),
    name: readText(fields, 'name'),
    replaces: readItems(fields, 'replaces', (item) => readText(item, 'name')),
    sluice: readSluice(fields),
  }
}

function readSluice(parent: Fields): SluiceBlock | null {
  const map = readMap(parent, 'sluice')
  if (map === null) return null
  const fields: Fields = { ...parent, map, path: joinPath(parent.path, 'sluice') }
  const readNumber = (key: string) => (findLine(fields, key) === undefined ? undefined : readUint32(fields, key))
  return {
    line: map.line,
    algorithm: readText(fields, 'algorithm'),
    charge: readText(fields, 'charge'),
    timeZone: readText(fields, 'time_zone'),
    unsettled: readText(fields, 'unsettled'),
    unitMultiplier: readNumber('unit_multiplier'),
    burst: readNumber('burst'),
    timeToLive: readNumber('time_to_live'),
    limits: readItems(fields, 'limits', readLimitBlock),
  }
}

/** `Null` and `NULL`, unlike `null` and `~`, are a block without fields to the reference, which then has no unit. */
function blockOfNull(node: YamlNode): YamlMap | null {
  if (node.kind !== 'scalar' || !node.text.startsWith('N')) return null
  return { kind: 'map', line: node.line, pairs: [], written: [] }
}

function readMetadata(fields: Fields): JsonObject | null {
  const map = readMap(fields, 'metadata')
  return map === null || map.written.length === 0 ? null : toMetadata(map)
}
