/** YAML syntax: the first document of a text, parsed within bounds that keep every text from taking for ever. */

import { Composer, CST, Lexer, LineCounter, type Node, type ParsedNode, Parser } from 'yaml'

/** YAML that could not be read, and where. */
export interface YamlMistake {
  readonly line: number
  readonly message: string
}

/** A parsed document. */
export interface YamlSyntax {
  /** Null when there is nothing in it. */
  readonly root: Node | null
  readonly lineOf: (node: Node) => number
}

/** Levels of nesting; beyond them the `yaml` package takes seconds, and in the end the whole stack. */
export const deepest = 200

const options = {
  version: '1.1',
  schema: 'failsafe',
  merge: false,
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: 'error',
} as const

/**
 * Parses the first document (YAML 1.1, duplicate keys allowed, scalars as text).
 *
 * Nesting is counted while the text is cut into tokens, before anything is built of them, and parsing ends at the
 * first mistake or the end of the first document: the package on its own goes on collecting, which takes time that
 * grows with the square of the text.
 */
export function parseSyntax(text: string): YamlSyntax | YamlMistake {
  const lines = new LineCounter()
  const tooDeep: { line: number | null } = { line: null }
  const composer = new Composer<ParsedNode>(options)
  const tokens = parseTokens(text.replace(/^\uFEFF/, ''), lines, (line) => {
    tooDeep.line = line
  })
  const lineAt = (offset: number) => Math.max(1, lines.linePos(offset).line)
  for (const document of composer.compose(tokens, true)) {
    if (tooDeep.line !== null) break
    const [error] = document.errors
    if (error !== undefined) return { line: lineAt(error.pos[0]), message: error.message }
    return { root: document.contents, lineOf: (node) => lineAt(node.range?.[0] ?? 0) }
  }
  return { line: tooDeep.line ?? 1, message: `nested deeper than ${deepest} levels` }
}

/** Cuts a text into tokens and parses them, until one is a mistake or opens a level too many. */
function* parseTokens(
  text: string,
  lines: LineCounter,
  onTooDeep: (line: number) => void,
): Generator<CST.Token> {
  const parser = new Parser(lines.addNewLine)
  const isTooDeep = nestingGauge()
  lines.addNewLine(0)
  let line = 1
  for (const source of new Lexer().lex(text)) {
    line += newLinesIn(source)
    if (isTooDeep(source)) return onTooDeep(line)
    for (const token of parser.next(source)) {
      yield token
      if (token.type === 'error') return
    }
  }
  yield* parser.end()
}

/**
 * Makes a function that is shown one token after the other and tells when they nest too deep: brackets that are
 * open, or indicators that stand in one line outside of brackets. What nests by indentation alone needs a text
 * that grows with the square of its depth.
 */
function nestingGauge(): (source: string) => boolean {
  let brackets = 0
  let indicators = 0
  return (source) => {
    const type = CST.tokenType(source)
    if (type === 'flow-map-start' || type === 'flow-seq-start') brackets += 1
    else if (type === 'flow-map-end' || type === 'flow-seq-end') brackets = Math.max(0, brackets - 1)
    else if (type === 'newline' || type === 'doc-start') indicators = 0
    else if (brackets === 0 && type !== null && opening.has(type)) indicators += 1
    return brackets > deepest || indicators > deepest
  }
}

/** What can stand again and again before one value. */
const opening: ReadonlySet<string> = new Set([
  'seq-item-ind',
  'explicit-key-ind',
  'map-value-ind',
  'tag',
  'anchor',
])

function newLinesIn(source: string): number {
  let count = 0
  for (let at = source.indexOf('\n'); at >= 0; at = source.indexOf('\n', at + 1)) count += 1
  return count
}
