/** The block `sluice` of a descriptor: networks or an expression in the place of a value. */

import { messageOf } from '../../base/errors.ts'
import { compileExpression } from '../pattern/expression.ts'
import { type Network, parseNetwork } from '../pattern/network.ts'
import type { Pattern } from '../pattern/pattern.ts'
import type { DescriptorBlock } from './grammar.ts'
import type { DocumentMistake } from './mistake.ts'

/** A pattern, and its text, which names and keys have instead of the value. */
export interface CompiledPattern {
  readonly pattern: Pattern
  readonly text: string
}

/** Networks of one descriptor. */
const mostNetworks = 1_000

/**
 * Compiles the pattern of a descriptor.
 *
 * @param path - of the descriptor.
 * @returns null for a descriptor without one, and after a mistake.
 */
export function compilePattern(
  { key, value, pattern }: DescriptorBlock,
  { path, report }: { readonly path: string; readonly report: (mistake: DocumentMistake) => void },
): CompiledPattern | null {
  if (pattern === null) return null
  const { line, cidr, matches } = pattern
  const wrong = (field: string, message: string, hint: string) =>
    report({ path: `${path}.sluice${field}`, line, message, hint })
  if (value !== '') wrong('', 'sluice excludes a value', 'leave out value, or cidr and matches')
  else if (key.includes('*')) wrong('', "the key of a descriptor with sluice holds a '*'", 'write the whole key')
  else if ((cidr === '') === (matches === '')) {
    const state = cidr === '' ? 'neither cidr nor matches' : 'both cidr and matches'
    wrong('', `sluice has ${state}`, 'expected one of them')
  } else if (cidr !== '') return compileNetworks(cidr, (message, hint) => wrong('.cidr', message, hint))
  else return compileMatches(matches, (message, hint) => wrong('.matches', message, hint))
  return null
}

type Wrong = (message: string, hint: string) => void

function compileNetworks(text: string, wrong: Wrong): CompiledPattern | null {
  const written = text.split(/[\s,]+/).filter((one) => one !== '')
  const networks = written.map(parseNetwork).filter((network): network is Network => network !== null)
  if (written.length > mostNetworks) {
    wrong(`cidr has ${written.length} networks`, `expected at most ${mostNetworks}`)
    return null
  }
  const bad = written.find((one) => parseNetwork(one) === null)
  if (bad !== undefined || networks.length === 0) {
    const hint = 'expected networks such as "192.0.2.0/24, 2001:db8::/32" without bits behind their prefix'
    wrong(`invalid network '${(bad ?? '').slice(0, 60)}'`, hint)
    return null
  }
  return { pattern: { kind: 'network', networks }, text: written.join(',') }
}

function compileMatches(text: string, wrong: Wrong): CompiledPattern | null {
  try {
    return { pattern: { kind: 'expression', expression: compileExpression(text) }, text }
  } catch (error) {
    wrong(`invalid expression '${text.slice(0, 60)}'`, messageOf(error))
    return null
  }
}
