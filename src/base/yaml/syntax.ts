/** YAML syntax: the first document of a text, parsed within bounds that keep every text from taking for ever. */

import { Composer, CST, Lexer, LineCounter, type Node, type ParsedNode, Parser, type YAMLParseError } from 'yaml'
import type { Sliced } from '../slices.ts'
import { createTokenCheck, directiveProblem, findKeylessValue, keylessProblem } from './token-check.ts'

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
 * grows with the square of the text. Yields while it cuts, which is most of the time; the package builds a document
 * at once.
 *
 * What the package takes and the reference's parser refuses is refused here too: control characters, versions other
 * than 1.1, unknown directives, the escapes of JSON that YAML 1.1 has not, a `?` in plain text within brackets, a tag
 * that ends at a bracket or comma, a `:` without a key, and a tab at the beginning of a line. A comment right behind
 * quotes or brackets, the escape `\'` and brackets or quotes that go on at any column are taken, as the reference does.
 */
export function* parseSyntax(text: string): Sliced<YamlSyntax | YamlMistake> {
  const control = controlCharacter.exec(text)
  if (control !== null) {
    const line = newLinesIn(withLineFeeds(text.slice(0, control.index))) + 1
    return { line, message: 'control characters are not allowed' }
  }
  const lines = new LineCounter()
  const found: Found = { mistake: null, document: null }
  const composer = firstErrorComposer()
  const source = withLineFeeds(text.replace(/^\uFEFF/, ''))
  const lineAt = (offset: number) => Math.max(1, lines.linePos(offset).line)
  for (const token of parseTokens({ text: source, lines }, found)) {
    if (token === 'pause') yield
    // The package composes the second document before it gives the first away.
    else if (isBehindDocument(token, found)) break
    else for (const document of composer.compose((own) => own.next(token))) return judge(document)
  }
  for (const document of composer.compose((own) => own.end(true))) return judge(document)
  return found.mistake ?? { line: 1, message: 'it has no document' }

  function judge(document: ComposedDocument | FirstError): YamlSyntax | YamlMistake {
    if (found.mistake !== null) return found.mistake
    if ('offset' in document) return { line: lineAt(document.offset), message: document.message }
    const error = document.errors.find(({ message }) => message !== unspacedComment)
    if (error !== undefined) return { line: lineAt(error.pos[0]), message: error.message }
    const keyless = found.document === null ? undefined : findKeylessValue(found.document, source)
    if (keyless !== undefined) return { line: lineAt(keyless), message: keylessProblem }
    return { root: document.contents, lineOf: (node) => lineAt(node.range?.[0] ?? 0) }
  }
}

interface FirstError {
  readonly offset: number
  readonly message: string
}

/** Place of a mistake as the package says it: an offset, a range, or a token. */
type ErrorSource = number | readonly number[] | { readonly offset: number }

/** Composes documents until one has a mistake. */
function firstErrorComposer() {
  const composer = new Composer<ParsedNode>(options)
  let first: FirstError | undefined
  // A token that is an error is noted without a call.
  const errorOfToken = (): FirstError | undefined => {
    // The list of errors before a document, private as well.
    const [noted]: readonly YAMLParseError[] = Reflect.get(composer, 'errors')
    return noted && { offset: noted.pos[0], message: noted.message }
  }
  const onError = (source: ErrorSource, _code: string, message: string, isWarning?: boolean) => {
    if (isWarning === true || message === unspacedComment) return
    // A collection catches what is thrown inside of it, and reports that as its own mistake.
    first ??= errorOfToken() ?? { offset: offsetOf(source), message }
    throw first
  }
  // The package has no option for it, and calls this private member for each mistake.
  Reflect.set(composer, 'onError', onError)
  return {
    /** Yields the documents of a token, or of the end of the text. */
    *compose(
      documents: (composer: Composer<ParsedNode>) => Iterable<ComposedDocument>,
    ): Generator<ComposedDocument | FirstError> {
      try {
        yield* documents(composer)
      } catch (error) {
        if (first === undefined || error !== first) throw error
        yield first
      }
    },
  }
}

function offsetOf(source: ErrorSource): number {
  if (typeof source === 'number') return source
  return 'offset' in source ? source.offset : (source[0] ?? 0)
}

type ComposedDocument = ReturnType<Composer<ParsedNode>['next']> extends Iterable<infer T> ? T : never

interface Found {
  /** The first token that is refused. */
  mistake: YamlMistake | null
  /** The first document as tokens. */
  document: CST.Document | null
}

/** Message of the package about a comment without a space in front. */
const unspacedComment = 'Comments must be separated from other tokens by white space characters'

/** Characters that YAML 1.1 does not let into a text (5.1), a byte order mark aside. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are looked for
const controlCharacter = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]/

/** The line breaks of YAML 1.1 (5.4) as line feeds, each as long as before; the package knows CR LF and LF. */
function withLineFeeds(text: string): string {
  return text.replace(/\r(?!\n)|[\u0085\u2028\u2029]/g, '\n')
}

/** Tokens of a text but for blanks and comments: the package composes a document at once, which takes 60 ms then. */
const mostTokens = 200_000

/** Tokens of a slice: some 5 ms. */
const sliceTokens = 5_000

/** Cuts a text into tokens and parses them, until one is a mistake, a wrong directive, or opens a level too many. */
function* parseTokens(
  { text, lines }: { readonly text: string; readonly lines: LineCounter },
  found: Found,
): Generator<CST.Token | 'pause'> {
  const checkToken = createTokenCheck()
  const parser = new Parser(lines.addNewLine)
  lines.addNewLine(0)
  let line = 1
  let count = 0
  let composed = 0
  for (const source of unindentedLexer().lex(text)) {
    if (++count % sliceTokens === 0) yield 'pause'
    if (source !== CST.SCALAR && !/^[\s#]/.test(source)) composed += 1
    const refusal =
      composed > mostTokens
        ? `more than ${mostTokens} keys, values and indicators, expected a part of them in another file`
        : checkToken(source)
    if (refusal !== null) return refuse(found, line, refusal)
    line += newLinesIn(source)
    for (const token of parser.next(withPlainApostrophes(source))) {
      const isDirective = token.type === 'directive' && found.document === null
      const problem = isDirective ? directiveProblem(token.source) : null
      if (problem !== null) return refuse(found, line, problem)
      yield noted(token, found)
      if (token.type === 'error') return
    }
  }
  for (const token of parser.end()) yield noted(token, found)
}

/** Makes a lexer that takes lines of any indentation within brackets and quotes, as the reference's parser does. */
function unindentedLexer(): Lexer {
  const lexer = new Lexer()
  for (const name of ['parseFlowCollection', 'parseQuotedScalar']) {
    // Private members of the package, which has no option for it; both yield tokens and return the next state.
    const parse: () => Generator<string, unknown> = Reflect.get(lexer, name).bind(lexer)
    Reflect.set(lexer, name, function* () {
      const indent: number = Reflect.get(lexer, 'indentNext')
      Reflect.set(lexer, 'indentNext', 0)
      const next = yield* parse()
      Reflect.set(lexer, 'indentNext', indent)
      return next
    })
  }
  return lexer
}

/** Tells whether a token begins what follows the first document: another one, or its directives. */
function isBehindDocument(token: CST.Token, { document }: Found): boolean {
  return document !== null && (token.type === 'directive' || (token.type === 'document' && token !== document))
}

function refuse(found: Found, line: number, message: string): void {
  found.mistake = { line, message }
}

/** The token itself; the first document is remembered. */
function noted(token: CST.Token, found: Found): CST.Token {
  if (token.type === 'document') found.document ??= token
  return token
}

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
