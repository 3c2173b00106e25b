/** The names of keys: which may appear in a file, and which known one an unknown one probably means. */

import { nearest, suggest } from '../../base/nearest.ts'
import { type DocumentMistake, hasTooMany, joinPath } from './mistake.ts'
import { mostInt, type ScalarMeaning } from './scalar.ts'
import { goText, type YamlMap, type YamlNode, type YamlPair } from './yaml-node.ts'

/** Every key that a file may have, at any level. */
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
  'sluice',
])

/** Every key below `sluice` of a descriptor, which is not the reference's. */
const patternKeys = new Set(['name', 'values', 'cidr', 'matches'])

/** The same below `sluice` of a limit. */
const sluiceKeys = new Set([
  'algorithm',
  'unit_multiplier',
  'burst',
  'charge',
  'unsettled',
  'time_to_live',
  'time_zone',
  'limits',
])

/** Every key of an item of `limits`. */
const furtherKeys = new Set(['unit', 'requests_per_unit', 'name', 'sluice'])

/**
 * Checks the names of all keys below a map, and what lists hold.
 *
 * Names are checked without regard to their level, so `shadow_mode` inside `rate_limit` is accepted and does
 * nothing.
 *
 * @param path - of the map; empty for the file.
 * @param mistakes - takes what is wrong, in the order of the file.
 */
export function checkKeys(
  map: YamlMap,
  path: string,
  mistakes: DocumentMistake[],
  known: ReadonlySet<string> = validKeys,
): void {
  for (const { key, value } of map.pairs) {
    if (hasTooMany(mistakes)) return
    const at = joinPath(path, goText(key))
    const wrong = (message: string, hint: string) => mistakes.push({ path: at, line: key.line, message, hint })
    if (key.kind !== 'scalar' || key.meaning.kind !== 'string') {
      const hint = 'a key is a word; YAML reads this one as something else unless it is in quotes'
      wrong(`config error, key is not of type string: ${goText(key)}`, hint)
      continue
    }
    const below = keysBelow(key.text, path, known)
    if (!known.has(key.text)) wrong(`config error, unknown key '${key.text}'`, keyHint(key.text, known))
    else if (below === null) wrong('sluice has no meaning here', 'move it into rate_limit, or into a descriptor')
    // Keys below metadata are the user's.
    else if (key.text !== 'metadata') checkValue(value, at, mistakes, below)
  }
}

/** The keys below a key in the block of a path; null where `sluice` has no meaning. */
function keysBelow(name: string, path: string, known: ReadonlySet<string>): ReadonlySet<string> | null {
  if (name === 'limits') return furtherKeys
  if (name !== 'sluice') return known
  if (/(^|\.)(rate_limit|limits\[\d+\])$/.test(path)) return sluiceKeys
  return /(^|\.)descriptors\[\d+\]$/.test(path) ? patternKeys : null
}

function keyHint(name: string, known: ReadonlySet<string>): string {
  if (known === furtherKeys && sluiceKeys.has(name)) return 'move it into the sluice of the limit'
  if (known === sluiceKeys && furtherKeys.has(name)) return 'move it into rate_limit'
  if (known === patternKeys && sluiceKeys.has(name)) return 'move it into the sluice of rate_limit'
  if (known === sluiceKeys && patternKeys.has(name)) return 'move it into the sluice of the descriptor'
  return suggest(name, [...known])
}

function checkValue(value: YamlNode, path: string, mistakes: DocumentMistake[], known: ReadonlySet<string>): void {
  if (value.kind === 'map') checkKeys(value, path, mistakes, known)
  else if (value.kind === 'list') checkItems(value.items, path, mistakes, known)
  else if (isUnusual(value.meaning)) {
    const hint = `${value.text} is not a whole number of 64 bits; in quotes it is text`
    mistakes.push({ path, line: value.line, message: 'error checking config', hint })
  }
}

function checkItems(
  items: readonly YamlNode[],
  path: string,
  mistakes: DocumentMistake[],
  known: ReadonlySet<string>,
): void {
  for (const [index, item] of items.entries()) {
    if (hasTooMany(mistakes)) return
    const at = `${path}[${index}]`
    if (item.kind === 'map') checkKeys(item, at, mistakes, known)
    else {
      const message = `config error, yaml file contains list of type other than map: ${goText(item)}`
      mistakes.push({ path: at, line: item.line, message, hint: listHint(path) })
    }
  }
}

/** Numbers that the reference does not expect in a file: fractions, and integers beyond 63 bits. */
function isUnusual(meaning: ScalarMeaning): boolean {
  return meaning.kind === 'float' || (meaning.kind === 'int' && meaning.value > mostInt)
}

/** Lists hold maps only, so `replaces: [a]` is `replaces: [{name: a}]`. */
function listHint(path: string): string {
  return path.endsWith('replaces')
    ? 'expected items such as {name: NAME}'
    : 'expected items that begin with "key: NAME"'
}

const allSluiceKeys = new Set([...sluiceKeys, ...furtherKeys, ...patternKeys])

/** The tree with each unknown key under the name that it probably means, if that is free; never below metadata. */
export function withProbableKeys<T extends YamlNode>(node: T, known: ReadonlySet<string> = validKeys): T {
  if (node.kind === 'list') return { ...node, items: node.items.map((item) => withProbableKeys(item, known)) }
  if (node.kind !== 'map') return node
  const present = new Set(node.written.map(({ key }) => (key.kind === 'scalar' ? key.text : '')))
  const probable = ({ key, value }: YamlPair): YamlPair => {
    if (key.kind !== 'scalar') return { key, value: withProbableKeys(value, known) }
    if (key.text === 'metadata') return { key, value }
    const near = known.has(key.text) ? undefined : nearest(key.text, known)
    const text = near === undefined || present.has(near) ? key.text : near
    return { key: { ...key, text }, value: withProbableKeys(value, text === 'sluice' ? allSluiceKeys : known) }
  }
  return { ...node, pairs: node.pairs.map(probable), written: node.written.map(probable) }
}
