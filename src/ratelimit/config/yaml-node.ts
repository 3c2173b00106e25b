/** A YAML document as a tree of maps, lists and scalars with their source, as the reference reads it. */

import type { ScalarMeaning } from './scalar.ts'

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
