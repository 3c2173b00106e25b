/** Checks of a YAML text beyond those of the `yaml` package: nesting too deep, and syntax that the reference's parser does not read. */

import { CST } from 'yaml'

/** Levels of nesting; beyond them the `yaml` package takes seconds, and in the end the whole stack. */
export const deepest = 200

/** Is shown one token after the other, and tells what is wrong with it; null where nothing is. */
type TokenCheck = (source: string) => string | null

/**
 * Makes a function that finds tokens that nest too deep, and what only the reference refuses.
 *
 * Too deep are brackets that are open, or indicators in one line outside of brackets. What nests by indentation only
 * needs a text that grows with the square of its depth.
 */
export function createTokenCheck(): TokenCheck {
  let brackets = 0
  let indicators = 0
  let isPlain = false
  let isTag = false
  const findTab = createTabCheck()
  return (source) => {
    const [wasPlain, wasTag] = [isPlain, isTag]
    isPlain = source === CST.SCALAR
    // A plain text is announced by a token, and is empty between a tag and what ends it.
    if (isPlain || (wasPlain && source === '')) return null
    const type = wasPlain ? 'scalar' : CST.tokenType(source)
    const tab = findTab(source, type, brackets > 0)
    if (tab !== null) return tab
    isTag = type === 'tag'
    if (wasPlain) return brackets > 0 ? plainProblem(source) : null
    if (isUnended(source, type, wasTag)) return unendedTag
    if (type === 'double-quoted-scalar') return escapeProblem(source)
    if (type === 'flow-map-start' || type === 'flow-seq-start') brackets += 1
    else if (type === 'flow-map-end' || type === 'flow-seq-end') brackets = Math.max(0, brackets - 1)
    else if (type === 'newline' || type === 'doc-start') indicators = 0
    else if (brackets === 0 && type !== null && opening.has(type)) indicators += 1
    return brackets > deepest || indicators > deepest ? `nested deeper than ${deepest} levels` : null
  }
}

/**
 * Makes a function that finds a tab at the beginning of a line outside of brackets, which the package takes before a
 * comment or nothing.
 */
function createTabCheck() {
  let column = 0
  // Column of the block that the last line is of.
  let indent = 0
  let isAtStart = true
  let isBehindPlain = false
  return (source: string, type: CST.TokenType | null, isInBrackets: boolean): string | null => {
    const at = column
    column = type === 'newline' || type === 'doc-mode' ? 0 : column + source.length
    if (type === 'space') {
      const tab = isAtStart && !isInBrackets ? source.indexOf('\t') : -1
      if (tab < 0) return null
      if (!isBehindPlain) return 'found character that cannot start any token: a tab'
      return at + tab <= indent ? 'found a tab character that violates indentation' : null
    }
    if (type === 'newline') isAtStart = true
    else {
      const isIndicator = type !== null && startingBlock.has(type)
      if (isAtStart && !isIndicator) indent = at
      isAtStart = isIndicator
      isBehindPlain = type === 'scalar'
    }
    return null
  }
}

/** Tokens behind which a block may begin, as at the beginning of a line. */
const startingBlock: ReadonlySet<string> = new Set(['doc-mode', 'seq-item-ind', 'explicit-key-ind'])

/** The message of the reference's parser about plain text within brackets, which a `?` ends there. */
function plainProblem(source: string): string | null {
  return source.includes('?', 1) ? "did not find expected ',' or '}' before a '?', expected quotes around it" : null
}

/** Tokens that can be repeated before one value. */
const opening: ReadonlySet<string> = new Set(['seq-item-ind', 'explicit-key-ind', 'map-value-ind', 'tag', 'anchor'])

/** Tells whether a tag ends without a space behind it, or has a character that the reference's parser does not read. */
function isUnended(source: string, type: CST.TokenType | null, wasTag: boolean): boolean {
  if (type === 'tag') return source.includes('#')
  return wasTag && type !== null && flowIndicators.has(type)
}

/** Tokens that end a tag for the package. The reference reads it as a part of the tag, or refuses it there. */
const flowIndicators: ReadonlySet<string> = new Set([
  'comma',
  'flow-map-start',
  'flow-map-end',
  'flow-seq-start',
  'flow-seq-end',
])

const unendedTag = 'did not find expected whitespace or line break after a tag'

/** The message of the reference's parser about quoted text with an escape that it does not know: `\/`, or half of a pair. */
function escapeProblem(source: string): string | null {
  for (const [, code = ''] of source.matchAll(/\\(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[\s\S])/g)) {
    if (code === '/') return 'found unknown escape character'
    if (/^(u|U0000)[dD][89a-fA-F]/.test(code)) return 'found invalid Unicode character escape code'
  }
  return null
}

/** The message of the reference's parser about a directive that it does not take. */
export function directiveProblem(source: string): string | null {
  const [name, version] = source.trim().split(/[ \t]+/)
  if (name === '%YAML') return version === '1.1' ? null : 'found incompatible YAML document'
  return name === '%TAG' ? null : 'found unknown directive name'
}

/** The message of the reference's parser about a `:` without a key. */
export const keylessProblem = "did not find expected key, expected one before the ':'"

/** Sign of a text with a `:` without a key; looking at its tokens takes a tenth of parsing it. */
const perhapsKeyless = /(?:^|[-?:,{[])[ \t]*:(?=[\s,}\]]|$)/m

/** Finds the first `:` behind neither a key nor a `?`, an anchor or a tag; undefined where there is none. */
export function findKeylessValue(document: CST.Document, source: string): number | undefined {
  if (!perhapsKeyless.test(source)) return undefined
  let at: number | undefined
  CST.visit(document, ({ start, key, sep }) => {
    const indicator = sep?.find(({ type }) => type === 'map-value-ind')
    if (indicator === undefined || key != null || start.some(({ type }) => type === 'explicit-key-ind'))
      return undefined
    // An anchor or a tag makes an empty key; outside of brackets the package gives them to the map.
    if (/[&!]/.test(wordBefore(source, indicator.offset))) return undefined
    at = indicator.offset
    return CST.visit.BREAK
  })
  return at
}

/** The word that ends before a place of a line, looked for from its end: a pattern would take quadratic time. */
function wordBefore(source: string, offset: number): string {
  let end = offset
  while (isBlank(source[end - 1])) end -= 1
  if (end === offset) return ''
  let start = end
  while (start > 0 && !isBlank(source[start - 1]) && source[start - 1] !== '\n') start -= 1
  return source.slice(start, end)
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t'
}
