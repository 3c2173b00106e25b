/** Descriptors of a document become rules, or mistakes in the order in which the reference would meet them. */

import { indexPatterns } from '../pattern/pattern.ts'
import { takesReservations } from '../reservation/descriptor-step.ts'
import { type Branch, compositeOf, type Domain, type Rule } from '../rule-book.ts'
import { parseWildcard } from '../wildcard.ts'
import { indexWildcards } from '../wildcard-index.ts'
import type { DescriptorBlock } from './grammar.ts'
import { compileLimit } from './limit.ts'
import type { DocumentMistake } from './mistake.ts'
import { compilePattern } from './pattern.ts'

/** Takes a mistake, of the file being compiled unless it names another. */
export type Report = (mistake: DocumentMistake & { readonly file?: string }) => void

interface GrowingBranch {
  readonly children: Map<string, Rule>
  readonly wildcards: Rule[]
  index: Branch['index']
  patterns: Branch['patterns']
}

/** A domain while its files are compiled. */
export interface GrowingDomain extends Omit<Domain, keyof Branch | 'reserves'>, GrowingBranch {
  readonly listed: Listed
  reserves?: boolean
}

/** The names of lists, by the key and the value that each has. */
type Listed = Map<string, string>

interface Place {
  readonly domain: GrowingDomain
  /** Full key of the parent with a dot at its end. */
  readonly parent: string
  readonly path: string
  readonly report: Report
  /** Of the same level. */
  readonly listed: Listed
}

/** Compiles the descriptors of one level, and those below them, into a branch; mistakes are reported. */
export function addDescriptors(node: GrowingBranch, blocks: readonly DescriptorBlock[], place: Place): void {
  for (const [index, block] of blocks.entries()) {
    const path = `${place.path === '' ? '' : `${place.path}.`}descriptors[${index}]`
    const rule = compileDescriptor(node.children, block, { ...place, path })
    if (rule === null) continue
    reportListed(place.listed, rule, (message, hint) => {
      place.report({ path: `${path}.sluice.values`, line: block.pattern?.line ?? block.line, message, hint })
    })
    node.children.set(rule.composite, rule)
    if (rule.wildcard !== null) node.wildcards.push(rule)
  }
}

/** Reports a value that another list of its key has as well. */
function reportListed(
  listed: Listed,
  { key, value: name, pattern }: Rule,
  report: (message: string, hint: string) => void,
): void {
  if (pattern?.kind !== 'list') return
  for (const value of pattern.values) {
    const composite = compositeOf({ key, value })
    const other = listed.get(composite)
    if (other === undefined) listed.set(composite, name)
    else report(`the list '${other}' has '${value.slice(0, 60)}' as well`, 'leave it out of one of them')
  }
}

/** Order of checks: as the reference makes them, so that the first mistake is the same. */
function compileDescriptor(
  siblings: ReadonlyMap<string, Rule>,
  block: DescriptorBlock,
  { domain, parent, path, report }: Place,
): Rule | null {
  const wrong = (field: string, message: string, hint?: string) =>
    report({ path: `${path}.${field}`, line: block.line, message, ...(hint !== undefined && { hint }) })
  if (block.key === '') {
    wrong('key', 'descriptor has empty key', 'a descriptor begins with "key: NAME"')
    return null
  }
  const pattern = compilePattern(block, { path, report })
  const value = pattern === null ? block.value : block.pattern?.name || pattern.text
  const composite = value === '' ? block.key : compositeOf({ key: block.key, value })
  const fullKey = `${parent}${composite}`
  if (siblings.has(composite)) {
    const hint = 'it is written twice, or joins to the same text as another; put both into one, or rename one'
    wrong('key', `duplicate descriptor composite key '${fullKey}'`, hint)
    return null
  }
  const limit = compileLimit(block, { statKey: fullKey, path: `${path}.rate_limit`, report })
  if (limit !== null && takesReservations(limit)) domain.reserves = true
  const wildcard = pattern === null && composite.includes('*') ? parseWildcard(composite) : null
  if (block.shareThreshold && wildcard === null && block.pattern === null) {
    const rule = `can only be used with wildcard values (containing '*'), but found key '${composite}'`
    wrong('share_threshold', `share_threshold ${rule}`)
  }
  return {
    key: block.key,
    value,
    composite,
    limit,
    sharesThreshold: block.shareThreshold,
    valueToMetric: block.valueToMetric,
    wildcard,
    pattern,
    ...compileBranch(block.descriptors, { domain, parent: `${fullKey}.`, path, report, listed: new Map() }),
  }
}

function compileBranch(blocks: readonly DescriptorBlock[], place: Place): Branch {
  const branch = emptyBranch()
  addDescriptors(branch, blocks, place)
  return { ...branch, ...indexBranch(branch) }
}

/** Starts a branch without rules. */
export function emptyBranch(): GrowingBranch {
  return { children: new Map(), wildcards: [], index: null, patterns: null }
}

/** Prepares the look-ups of a branch that has all of its rules. */
export function indexBranch({ children, wildcards }: GrowingBranch): Pick<Branch, 'index' | 'patterns'> {
  return { index: indexWildcards(wildcards), patterns: indexPatterns(children.values()) }
}
