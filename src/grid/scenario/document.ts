/** Files of scenarios: YAML as a value, with the line of each part. */

import { type Alias, isAlias, isMap, isScalar, isSeq, type Node, type Scalar, type YAMLMap } from 'yaml'
import { isRecord } from '../../base/json.ts'
import { doAtOnce } from '../../base/slices.ts'
import { parseSyntax, type YamlMistake, type YamlSyntax } from '../../base/yaml/syntax.ts'
import type { CaseTables } from '../network/case-tables.ts'
import { WrongNode } from './errors.ts'
import { checkScenario, namesNetwork, type ReadScenario } from './session.ts'

/** Most characters of a scenario's file. */
export const mostCharacters = 256 * 1024

/** Levels of nesting with its aliases unfolded. */
const deepest = 32

/** Most nodes of a document with its aliases unfolded. */
const mostNodes = 20_000

/** A value, and where its parts are. */
export interface Document {
  readonly value: unknown
  /** The line of the part at a path, or of the nearest part around one that is missing; lines count from 1. */
  readonly lineAt: (path: readonly PropertyKey[]) => number
}

interface Walk {
  readonly lineOf: YamlSyntax['lineOf']
  readonly lines: Map<string, number>
  /** Null while the node of an anchor is being read. */
  readonly anchors: Map<string, Node | null>
  nodes: number
}

/**
 * Reads the first document of a text by the core schema of YAML 1.2.2 (10.3.2) without hexadecimal, octal and infinite
 * numbers. An alias is a copy; a loop, a key that is there twice or not text, a merge key and a tag are mistakes.
 */
export function readDocument(text: string): Document | YamlMistake {
  if (text.length > mostCharacters) {
    return { line: 1, message: `the file has ${text.length} characters, expected at most ${mostCharacters}` }
  }
  const syntax = doAtOnce(parseSyntax(text))
  if ('message' in syntax) return syntax
  const { root, lineOf } = syntax
  if (root === null) return { line: 1, message: 'the file is empty' }
  const walk: Walk = { lineOf, lines: new Map(), anchors: new Map(), nodes: 0 }
  try {
    const value = readNode(root, [], walk)
    return { value, lineAt: (path) => findLine(walk.lines, path) }
  } catch (error) {
    if (error instanceof WrongNode) return { line: lineOf(error.node), message: error.message }
    throw error
  }
}

function findLine(lines: ReadonlyMap<string, number>, path: readonly PropertyKey[]): number {
  for (let length = path.length; length >= 0; length--) {
    const line = lines.get(toKey(path.slice(0, length)))
    if (line !== undefined) return line
  }
  return 1
}

function toKey(path: readonly PropertyKey[]): string {
  return JSON.stringify(path)
}

function readNode(node: unknown, path: readonly PropertyKey[], walk: Walk): unknown {
  walk.nodes += 1
  if (!isAlias(node) && !isMap(node) && !isSeq(node) && !isScalar(node)) return null
  if (walk.nodes > mostNodes) throw new WrongNode(node, `aliases unfold to more than ${mostNodes} values`)
  if (path.length > deepest) throw new WrongNode(node, `nested deeper than ${deepest} levels`)
  const key = toKey(path)
  if (!walk.lines.has(key)) walk.lines.set(key, walk.lineOf(node))
  if (isAlias(node)) return readContents(findTarget(node, walk), path, walk)
  if (node.tag !== undefined) {
    throw new WrongNode(node, `the tag ${node.tag.slice(0, 64)} is not read, expected a value without a tag`)
  }
  const { anchor } = node
  if (anchor !== undefined) walk.anchors.set(anchor, null)
  const value = readContents(node, path, walk)
  if (anchor !== undefined) walk.anchors.set(anchor, node)
  return value
}

function findTarget(alias: Alias, { anchors }: Walk): Node {
  const { source } = alias
  const target = anchors.get(source)
  if (target === null) throw new WrongNode(alias, `the alias *${source} is inside of &${source}: it loops`)
  if (target === undefined) throw new WrongNode(alias, `there is no anchor &${source} before the alias *${source}`)
  return target
}

function readContents(node: Node, path: readonly PropertyKey[], walk: Walk): unknown {
  if (isScalar(node)) return readScalar(node)
  if (isMap(node)) return readMap(node, path, walk)
  return isSeq(node) ? node.items.map((item, index) => readNode(item, [...path, index], walk)) : {}
}

function readMap(node: YAMLMap, path: readonly PropertyKey[], walk: Walk): object {
  const entries = new Map<string, unknown>()
  for (const { key, value } of node.items) {
    if (!isScalar(key)) throw new WrongNode(node, 'a key is not text')
    const name = String(key.value ?? '')
    if (name === '<<') throw new WrongNode(node, 'merge keys (<<) are not read, expected an alias as a value')
    if (entries.has(name)) throw new WrongNode(key, `the key "${name.slice(0, 64)}" is there twice`)
    walk.lines.set(toKey([...path, name]), walk.lineOf(key))
    entries.set(name, readNode(value, [...path, name], walk))
  }
  return Object.fromEntries(entries)
}

function readScalar({ value, source, type }: Scalar): unknown {
  const text = String(value ?? '')
  if (type !== 'PLAIN' && type !== undefined && type !== null) return text
  const plain = source ?? text
  if (/^(?:~|null|Null|NULL|)$/.test(plain)) return null
  if (/^(?:true|True|TRUE)$/.test(plain)) return true
  if (/^(?:false|False|FALSE)$/.test(plain)) return false
  return /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/.test(plain) ? Number(plain) : text
}

/** A mistake in a file. */
export interface ScenarioMistake {
  readonly line: number
  /** With the path of the part that is wrong. */
  readonly text: string
}

/** Reads the text of a file, mistakes by their lines; `findTables` finds an imported network by its name. */
export function readScenario(
  text: string,
  findTables: (name: string) => CaseTables | undefined = () => undefined,
): ReadScenario<ScenarioMistake> {
  const document = readDocument(text)
  if ('message' in document) return { ok: false, mistakes: [{ line: document.line, text: document.message }] }
  const { value } = document
  const name = namesNetwork(value) ? value.network : undefined
  const tables = name === undefined ? undefined : findTables(name)
  const read = checkScenario(isRecord(value) && tables !== undefined ? { ...value, tables } : value)
  if (read.ok) return read
  const mistakes = read.mistakes.map(({ path, text: what }) => ({ line: document.lineAt(path), text: what }))
  return { ok: false, mistakes: mistakes.sort((one, other) => one.line - other.line) }
}
