/** The fields of a map, read as a type each; a value of another type becomes a mistake. */

import { type DocumentMistake, hasTooMany, joinPath, mismatch } from './mistake.ts'
import type { YamlMap, YamlNode, YamlScalar } from './yaml-node.ts'

/** A map that is being read. */
export interface Fields {
  readonly map: YamlMap
  /** For example `descriptors[2].rate_limit`; empty for the file. */
  readonly path: string
  /** Takes what is wrong, in the order of reading. */
  readonly mistakes: DocumentMistake[]
}

/** A string field keeps the raw text of any scalar: `value: yes` is "yes", `domain: 5` is "5". Empty when absent. */
export const readText = scalarReader('a string', '', ({ text }) => text)

/** A boolean field; false when absent. */
export const readFlag = scalarReader('a boolean', false, ({ meaning }) =>
  meaning.kind === 'bool' ? meaning.value : null,
)

/** A whole number from 0 to 2^32 - 1; 0 when absent. */
export const readUint32 = scalarReader('a whole number from 0 to 4294967295', 0, ({ meaning }) => {
  if (meaning.kind !== 'int' && meaning.kind !== 'float') return null
  // A fraction is cut off: it gets here only from a map that another of the same key follows, which is not checked.
  const value = Math.trunc(Number(meaning.value))
  return value >= 0 && value <= 4_294_967_295 ? value : null
})

/** A key that is written twice has its last value, but every value must be right; `read` is null for another kind. */
function scalarReader<T>(expected: string, absent: T, read: (scalar: YamlScalar) => T | null) {
  return ({ map, path, mistakes }: Fields, key: string): T => {
    let last = absent
    for (const value of listValues(map, key)) {
      const result = isNull(value) ? absent : value.kind === 'scalar' ? read(value) : null
      if (result === null) mistakes.push(mismatch(joinPath(path, key), value, expected))
      last = result ?? absent
    }
    return last
  }
}

/**
 * The map of a key as a structure; null when absent. Of a key that is written twice, the pairs of the second map are
 * added to those of the first, and a null between them forgets what came before.
 *
 * @param ofNull - what a null is read as: absent where there is no such function.
 */
export function readMap(
  { map, path, mistakes }: Fields,
  key: string,
  ofNull: (node: YamlNode) => YamlMap | null = () => null,
): YamlMap | null {
  let merged: YamlMap[] = []
  for (const value of listValues(map, key)) {
    const one = isNull(value) ? ofNull(value) : value
    if (isNull(value)) merged = []
    if (one?.kind === 'map') merged.push(one)
    else if (one !== null) mistakes.push(mismatch(joinPath(path, key), one, 'a map'))
  }
  const last = merged.at(-1)
  if (last === undefined) return null
  return merged.length === 1 ? last : { ...last, written: merged.flatMap(({ written }) => written) }
}

/** The items of a list of maps; of a key that is written twice the last list counts, but every list must be right. */
export function readItems<T>(fields: Fields, key: string, read: (item: Fields) => T): T[] {
  const { map, path, mistakes } = fields
  const at = joinPath(path, key)
  const values = listValues(map, key)
  let items: T[] = []
  for (const [written, value] of values.entries()) {
    if (isNull(value)) items = []
    else if (value.kind !== 'list') mistakes.push(mismatch(at, value, 'a list'))
    else {
      // In the list that counts, what is not a map is a mistake of the check of keys.
      const isReplaced = written < values.length - 1
      items = value.items.flatMap((item, index) => {
        if (hasTooMany(mistakes)) return []
        const place = `${at}[${index}]`
        if (item.kind === 'map') return [read({ ...fields, map: item, path: place })]
        if (isReplaced && !isNull(item)) mistakes.push(mismatch(place, item, 'a map'))
        return []
      })
    }
  }
  return items
}

/** The line of the value that counts; undefined when the key is absent. */
export function findLine({ map }: Fields, key: string): number | undefined {
  return listValues(map, key).at(-1)?.line
}

/** Every value that a key was given, in the order in which they count. */
function listValues(map: YamlMap, key: string): readonly YamlNode[] {
  const values: YamlNode[] = []
  for (const pair of map.written) {
    if (pair.key.kind === 'scalar' && pair.key.text === key) values.push(pair.value)
  }
  return values
}

/** Tells whether a value is null, or left out after its key. */
export function isNull(node: YamlNode): boolean {
  return node.kind === 'scalar' && node.meaning.kind === 'null'
}
