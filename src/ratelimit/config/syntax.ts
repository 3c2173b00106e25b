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
 *
 * What the package takes and the reference's parser refuses is refused here too: control characters, versions other
 * than 1.1, unknown directives, the escapes of JSON that YAML 1.1 has not, and a `?` in plain text within brackets. A
 * comment right behind quotes or brackets and the escape `\'` are taken, as the reference takes them.
 *
 * @param isKept - true for a text that an earlier build accepted: it may have these escapes and such a `?`.
 */
export function parseSyntax(text: string, isKept = false): YamlSyntax | YamlMistake {
  const control = controlCharacter.exec(text)
  if (control !== null) {
    const line = newLinesIn(withLineFeeds(text.slice(0, control.index))) + 1
    return { line, message: 'control characters are not allowed' }
  }
  const lines = new LineCounter()
  const refused: { mistake: YamlMistake | null } = { mistake: null }
  const composer = new Composer<ParsedNode>(options)
  const source = withLineFeeds(text.replace(/^\uFEFF/, ''))
  const tokens = parseTokens(source, lines, tokenCheck(isKept), (line, message) => {
    refused.mistake = { line, message }
  })
  const lineAt = (offset: number) => Math.max(1, lines.linePos(offset).line)
  for (const document of composer.compose(tokens, true)) {
    if (refused.mistake !== null) break
    const error = document.errors.find(({ message }) => message !== unspacedComment)
    if (error !== undefined) return { line: lineAt(error.pos[0]), message: error.message }
    return { root: document.contents, lineOf: (node) => lineAt(node.range?.[0] ?? 0) }
  }
  return refused.mistake ?? { line: 1, message: 'it has no document' }
}

/** What the package says of a comment without a space in front. */
const unspacedComment = 'Comments must be separated from other tokens by white space characters'

/** What YAML 1.1 does not let into a text (5.1), a byte order mark aside. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are looked for
const controlCharacter = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]/

/** The line breaks of YAML 1.1 (5.4) as line feeds, each as long as before; the package knows CR LF and LF. */
function withLineFeeds(text: string): string {
  return text.replace(/\r(?!\n)|[\u0085\u2028\u2029]/g, '\n')
}

/** Cuts a text into tokens and parses them, until one is a mistake, a wrong directive, or opens a level too many. */
function* parseTokens(
  text: string,
  lines: LineCounter,
  problemOf: TokenCheck,
  onRefused: (line: number, message: string) => void,
): Generator<CST.Token> {
  const parser = new Parser(lines.addNewLine)
  lines.addNewLine(0)
  let line = 1
  for (const source of new Lexer().lex(text)) {
    const refusal = problemOf(source)
    if (refusal !== null) return onRefused(line, refusal)
    line += newLinesIn(source)
    for (const token of parser.next(withPlainApostrophes(source))) {
      const problem = token.type === 'directive' ? directiveProblem(token.source) : null
      if (problem !== null) return onRefused(line, problem)
      yield token
      if (token.type === 'error') return
    }
  }
  yield* parser.end()
}

/** What the reference's parser says of a directive that it does not take. */
function directiveProblem(source: string): string | null {
  const [name, version] = source.trim().split(/[ \t]+/)
  if (name === '%YAML') return version === '1.1' ? null : 'found incompatible YAML document'
  return name === '%TAG' ? null : 'found unknown directive name'
}

/** Is shown one token after the other, and tells what is wrong with it. */
type TokenCheck = (source: string) => string | null

/**
 * Makes a function that finds tokens that nest too deep, and what only the reference refuses in a text that is new.
 *
 * Too deep are brackets that are open, or indicators in one line outside of brackets. What nests by indentation alone
 * needs a text that grows with the square of its depth.
 */
function tokenCheck(isKept: boolean): TokenCheck {
  let brackets = 0
  let indicators = 0
  let isPlain = false
  return (source) => {
    const wasPlain = isPlain
    isPlain = source === CST.SCALAR
    if (wasPlain) return brackets > 0 && !isKept ? plainProblem(source) : null
    const type = CST.tokenType(source)
    if (type === 'double-quoted-scalar') return isKept ? null : escapeProblem(source)
    if (type === 'flow-map-start' || type === 'flow-seq-start') brackets += 1
    else if (type === 'flow-map-end' || type === 'flow-seq-end') brackets = Math.max(0, brackets - 1)
    else if (type === 'newline' || type === 'doc-start') indicators = 0
    else if (brackets === 0 && type !== null && opening.has(type)) indicators += 1
    return brackets > deepest || indicators > deepest ? `nested deeper than ${deepest} levels` : null
  }
}

/** What the reference's parser says of plain text within brackets, which a `?` ends there. */
function plainProblem(source: string): string | null {
  return source.includes('?', 1)
    ? "did not find expected ',' or '}' before a '?', expected quotes around it"
    : null
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

/** Quoted text with every `\'` as `'`: an escape that the reference's parser knows and the package does not. */
function withPlainApostrophes(source: string): string {
  if (!source.startsWith('"') || !source.includes("\\'")) return source
  return source.replace(/\\([\s\S])/g, (whole, character) => (character === "'" ? character : whole))
}

/** What the reference's parser says of quoted text with an escape that it does not know: `\/`, or half of a pair. */
function escapeProblem(source: string): string | null {
  for (const [, code = ''] of source.matchAll(/\\(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[\s\S])/g)) {
    if (code === '/') return 'found unknown escape character'
    if (/^(u|U0000)[dD][89a-fA-F]/.test(code)) return 'found invalid Unicode character escape code'
  }
  return null
}
