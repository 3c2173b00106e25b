/** The block `sluice` of a descriptor: a list, networks or an expression in the place of a value. */

import { messageOf } from '../../base/errors.ts'
import { compileExpression } from '../pattern/expression.ts'
import { parseNetwork } from '../pattern/network.ts'
import type { Pattern } from '../pattern/pattern.ts'
import type { DescriptorBlock } from './grammar.ts'
import type { DocumentMistake } from './mistake.ts'

/** Values of one descriptor. */
const mostValues = 10_000
/** Networks of one descriptor. */
const mostNetworks = 1_000

/** Compiles the pattern of the descriptor at a path; null without one, and after a mistake. */
export function compilePattern(
  { key, value, pattern }: DescriptorBlock,
  { path, report }: { readonly path: string; readonly report: (mistake: DocumentMistake) => void },
): Pattern | null {
  if (pattern === null) return null
  const { line, name, values, cidr, matches } = pattern
  const wrong = (field: string, message: string, hint: string) =>
    report({ path: `${path}.sluice${field}`, line, message, hint })
  const [given, ...more] = [
    { field: 'values', text: values, compile: compileValues },
    { field: 'cidr', text: cidr, compile: compileNetworks },
    { field: 'matches', text: matches, compile: compileMatches },
  ].filter(({ text }) => text !== '')
  if (value !== '') wrong('', 'sluice excludes a value', 'leave out value or sluice')
  else if (key.includes('*')) wrong('', "the key of a descriptor with sluice holds a '*'", 'write the whole key')
  else if (given === undefined) wrong('', 'sluice has no values, cidr or matches', 'expected one of them')
  else if (more[0] !== undefined) {
    wrong('', `sluice has both ${given.field} and ${more[0].field}`, 'expected one of values, cidr and matches')
  } else if (given.field === 'values' && name === '') {
    wrong('.name', 'a list of values has no name', 'its statistics need one, such as name: pro')
  } else {
    return given.compile(given.text, (message, hint) => wrong(`.${given.field}`, message, hint))
  }
  return null
}

type Wrong = (message: string, hint: string) => void

function compileValues(text: string, wrong: Wrong): Pattern | null {
  const values = splitList(text)
  const twice = values.length === new Set(values).size ? undefined : values.find((one, at) => values.indexOf(one) < at)
  if (values.length > mostValues) wrong(`values has ${values.length} values`, `expected at most ${mostValues}`)
  else if (values.length === 0) wrong('values is empty', 'expected values such as "acme, globex"')
  else if (twice !== undefined) wrong(`values has '${twice.slice(0, 60)}' twice`, 'leave out one')
  else return { kind: 'list', values, text: values.join(',') }
  return null
}

function splitList(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter((one) => one !== '')
}

function compileNetworks(text: string, wrong: Wrong): Pattern | null {
  const written = splitList(text)
  const networks = written.map(parseNetwork).filter((network) => network !== null)
  if (written.length > mostNetworks) wrong(`cidr has ${written.length} networks`, `expected at most ${mostNetworks}`)
  else if (networks.length < Math.max(1, written.length)) {
    const bad = written.find((one) => parseNetwork(one) === null) ?? ''
    const hint = 'expected networks such as "192.0.2.0/24, 2001:db8::/32" without bits behind their prefix'
    wrong(`invalid network '${bad.slice(0, 60)}'`, hint)
  } else return { kind: 'network', networks, text: written.join(',') }
  return null
}

function compileMatches(text: string, wrong: Wrong): Pattern | null {
  try {
    return { kind: 'expression', expression: compileExpression(text), text }
  } catch (error) {
    wrong(`invalid expression '${text.slice(0, 60)}'`, messageOf(error))
    return null
  }
}
