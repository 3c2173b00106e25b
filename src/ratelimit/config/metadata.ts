/** The metadata of a rule: YAML as JSON, with the keys that the reference gives it. */

import type { Json, JsonObject } from '../../base/json.ts'
import { goText, type YamlMap, type YamlNode } from './yaml-node.ts'

/** A map whose own keys are read as text: `0x10` is "0x10". */
export function toMetadata(map: YamlMap): JsonObject {
  return Object.fromEntries(map.written.map(({ key, value }) => [scalarText(key), toJson(value)]))
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
