/** The text of a MATPOWER case file: assignments of numbers, matrices and lists of names; scripts are not run. */

import { GridError } from '../errors.ts'

/** A row of a matrix and the line of the file on which it begins. */
export interface MatrixRow {
  readonly line: number
  readonly numbers: readonly number[]
}

/** Characters of a line that a message repeats. */
const shownLength = 60

const refuse = (line: number, state: string) =>
  new GridError('invalid_case', `Cannot read case: line ${line}: ${state}`)

/**
 * Reads the text of a case file of version 2.
 *
 * @throws GridError invalid_case when a line computes something, or is not of the format; the message has its number.
 */
export function readCaseText(text: string) {
  const lines = text.split(/\r\n|\r|\n/).map(removeComment)
  const scalars = new Map<string, number>()
  const matrices = new Map<string, readonly MatrixRow[]>()
  let name = ''
  let version = ''
  for (let at = 0; at < lines.length; at++) {
    const line = (lines[at] ?? '').trim()
    if (line === '' || line === 'end' || line === 'return') continue
    const head = /^function\s+(?:mpc|\w+)\s*=\s*(\w+)\s*(?:\(\s*\))?\s*;?$/.exec(line)
    if (head !== null) {
      name = head[1] ?? ''
      continue
    }
    const [, field, value = ''] = /^mpc\.(\w+)\s*=\s*(.*)$/.exec(line) ?? []
    if (field === undefined) throw refuse(at + 1, describeScript(line))
    if (field === 'version') version = value.replace(/[';"\s]/g, '')
    else if (value.startsWith('[')) {
      const end = findEnd(lines, at, ']')
      const rest = (lines[end] ?? '').replace(/^[^\]]*/, '')
      if (!/^\]\s*[;,]?\s*$/.test(rest)) throw refuse(end + 1, describeScript(rest))
      matrices.set(field, readRows(lines, at, end))
      at = end
    } else if (value.startsWith('{')) at = findEnd(lines, at, '}')
    else scalars.set(field, readNumber(value.replace(/;\s*$/, '').trim(), at + 1))
  }
  if (version !== '2') {
    throw new GridError('invalid_case', `Cannot read case: mpc.version is '${version}', expected '2'`, {
      hint: "MATPOWER's savecase writes a case in version 2",
    })
  }
  return { name, version, scalars, matrices }
}

/** Removes a comment, which begins with % outside of quotes, and the sign of a line that goes on. */
function removeComment(line: string): string {
  let isQuoted = false
  for (let at = 0; at < line.length; at++) {
    if (line[at] === "'") isQuoted = !isQuoted
    if (line[at] === '%' && !isQuoted) return line.slice(0, at)
  }
  return line
}

function describeScript(line: string): string {
  return `"${line.slice(0, shownLength)}" is a statement of a script, expected mpc.FIELD = NUMBERS (MATPOWER's savecase writes the numbers that a script comes to)`
}

function findEnd(lines: readonly string[], start: number, bracket: ']' | '}'): number {
  for (let at = start; at < lines.length; at++) {
    if ((lines[at] ?? '').includes(bracket)) return at
  }
  throw refuse(start + 1, `the bracket that is opened here is not closed, expected ${bracket}`)
}

/** Rows end with a semicolon or with their line; `...` at its end lets a row go on. */
function readRows(lines: readonly string[], start: number, end: number): readonly MatrixRow[] {
  const rows: MatrixRow[] = []
  let begun: number[] = []
  let line = start + 1
  for (let at = start; at <= end; at++) {
    const whole = lines[at] ?? ''
    const from = at === start ? whole.indexOf('[') + 1 : 0
    const to = at === end ? whole.indexOf(']') : whole.length
    const isContinued = /\.\.\.\s*$/.test(whole)
    const parts = whole
      .slice(from, to)
      .replace(/\.\.\.\s*$/, '')
      .split(';')
    for (const [index, part] of parts.entries()) {
      if (begun.length === 0) line = at + 1
      for (const word of part.split(/[\s,]+/)) if (word !== '') begun.push(readNumber(word, at + 1))
      const isEnd = index < parts.length - 1 || !isContinued
      if (!isEnd || begun.length === 0) continue
      rows.push({ line, numbers: begun })
      begun = []
    }
  }
  return rows
}

function readNumber(word: string, line: number): number {
  if (/^[+-]?Inf$/i.test(word)) return word.startsWith('-') ? -Infinity : Infinity
  const value = Number(word)
  if (word !== '' && Number.isFinite(value)) return value
  throw refuse(line, `"${word.slice(0, shownLength)}" is not a number, expected one such as 0.05 or Inf`)
}
