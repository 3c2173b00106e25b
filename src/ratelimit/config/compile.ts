/** Configuration files become a rule book, or every mistake with its file, path and line. */

import { nearest } from '../../base/nearest.ts'
import { RatelimitError } from '../errors.ts'
import type { Domain, Limit, Rule, RuleBook } from '../rule-book.ts'
import { limitStatNames } from '../statistics/names.ts'
import { wildcardMatcher } from '../wildcard.ts'
import { parseUnit, units } from '../window.ts'
import type { ConfigFile } from './document.ts'
import {
  type DescriptorBlock,
  type DocumentMistake,
  type DocumentResult,
  type RateLimitBlock,
  readDocument,
} from './grammar.ts'

/** One mistake in one file. */
export interface Mistake extends DocumentMistake {
  /** Runtime key of the file. */
  readonly file: string
}

/** What compiling came to: the rules of all files, and what is wrong with them. */
export interface Compiled {
  /** Complete only when there are no mistakes. */
  readonly rules: RuleBook
  /** In the order the reference would meet them; the first is the one it reports. */
  readonly mistakes: readonly Mistake[]
}

/** A file after its YAML was read: plain data, so that one reader can serve many compilers. */
export interface ReadFile {
  /** Runtime key of the file. */
  readonly file: string
  readonly result: DocumentResult
}

/** What changes how files are put together. */
export interface CompileOptions {
  /** True to let several files add to one domain (`MERGE_DOMAIN_CONFIG`). */
  readonly mergeDomains?: boolean
  /** Runtime key of the file that is being changed: of two files that do not go together it has the mistake. */
  readonly changed?: string
}

/** Turns a path below the runtime directory into the runtime key that prefixes every error. */
export function runtimeKey(path: string): string {
  return path.replaceAll('/', '.')
}

/** Prints a mistake exactly as the reference does: file key, then text. */
export function mistakeText(mistake: Mistake): string {
  return `${mistake.file}: ${mistake.message}`
}

/**
 * Compiles a whole set of files that were read before, in the order given; one bad file rejects them all. Reading
 * the YAML is most of the cost.
 *
 * @throws RatelimitError with code `invalid_rules`; its message is the reference's text of the first mistake.
 */
export function compileRead(files: readonly ReadFile[], options: CompileOptions = {}): RuleBook {
  const { rules, mistakes } = checkRead(files, options)
  const [first] = mistakes
  if (first === undefined) return rules
  throw new RatelimitError('invalid_rules', mistakeText(first), {
    hint: `${first.path === '' ? 'See' : `See ${first.path} at`} line ${first.line} of ${first.file}${
      mistakes.length > 1 ? `; ${mistakes.length} mistakes in all` : ''
    }`,
  })
}

/** Compiles a whole set of files and keeps going after a mistake, to list them all. */
export function checkRules(files: readonly ConfigFile[], options: CompileOptions = {}): Compiled {
  return checkRead(readFiles(files), options)
}

/** Reads the YAML of files; mistakes in it are part of the result. */
export function readFiles(files: readonly ConfigFile[]): readonly ReadFile[] {
  return files.map(({ key, text }) => ({ file: key, result: readDocument(text) }))
}

/** Compiles files that were read before, and lists every mistake. */
export function checkRead(files: readonly ReadFile[], options: CompileOptions = {}): Compiled {
  // The reference reads every file before it compiles the first.
  const unreadable = files.flatMap(({ file, result }) =>
    (result.mistakes ?? []).map((mistake) => ({ file, ...mistake })),
  )
  const domains = new Map<string, Growing<Domain>>()
  const mistakes: Mistake[] = [...unreadable]
  for (const read of files) {
    const unreadPaths = new Set(read.result.mistakes?.map(({ path }) => path))
    addDocument(domains, read, files, options, (mistake) => {
      // What could not be read has its mistake already.
      if (!unreadPaths.has(mistake.path)) mistakes.push({ file: read.file, ...mistake })
    })
  }
  return { rules: { domains }, mistakes }
}

/** Takes a mistake, of the file being compiled unless it names another. */
type Report = (mistake: DocumentMistake & { readonly file?: string }) => void

function addDocument(
  domains: Map<string, Growing<Domain>>,
  { file, result: { document } }: ReadFile,
  files: readonly ReadFile[],
  { mergeDomains, changed }: CompileOptions,
  report: Report,
): void {
  if (document === undefined) return
  const { domain: name, domainLine: line, descriptors } = document
  const known = domains.get(name)
  if (name === '') {
    const hint = 'a file begins with "domain: NAME"'
    report({ path: 'domain', line, message: 'config file cannot have empty domain', hint })
  } else if (known !== undefined && mergeDomains !== true) {
    const first = files.find((other) => other.file === known.file)
    const places = [
      { file, line },
      { file: known.file, line: first?.result.document?.domainLine ?? 1 },
    ] as const
    const [wrong, other] = known.file === changed ? [places[1], places[0]] : places
    const hint = `line ${other.line} of ${other.file} has it too; rename one of them, or set MERGE_DOMAIN_CONFIG=true`
    report({ ...wrong, path: 'domain', message: `duplicate domain '${name}' in config file`, hint })
  } else {
    const domain: Growing<Domain> = known ?? { name, file, children: new Map(), wildcards: [] }
    domains.set(name, domain)
    addDescriptors(domain, descriptors, { parent: `${name}.`, path: '', report })
  }
}

/** The most descriptors of a configuration, all levels of all files together. */
export const mostDescriptors = 100_000

/**
 * Tells in which file a configuration passes `mostDescriptors`; null when it does not.
 *
 * To be asked before a configuration is accepted. One that is in use already keeps working.
 */
export function tooManyDescriptors(files: readonly ReadFile[]): Mistake | null {
  let count = 0
  for (const { file, result } of files) {
    count += countDescriptors(result.document?.descriptors ?? [])
    if (count > mostDescriptors) {
      const message = `the configuration has more than ${mostDescriptors} descriptors`
      return { file, path: 'descriptors', line: 1, message }
    }
  }
  return null
}

function countDescriptors(blocks: readonly DescriptorBlock[]): number {
  return blocks.reduce((sum, block) => sum + 1 + countDescriptors(block.descriptors), 0)
}

/** A node while its children are being added. */
type Growing<T> = Omit<T, 'children' | 'wildcards'> & { children: Map<string, Rule>; wildcards: Rule[] }

interface Place {
  /** Full key of the parent with a dot at its end. */
  readonly parent: string
  readonly path: string
  readonly report: Report
}

function addDescriptors(
  node: { children: Map<string, Rule>; wildcards: Rule[] },
  blocks: readonly DescriptorBlock[],
  place: Place,
): void {
  for (const [index, block] of blocks.entries()) {
    const path = `${place.path === '' ? '' : `${place.path}.`}descriptors[${index}]`
    const rule = compileDescriptor(node, block, { ...place, path })
    if (rule === null) continue
    node.children.set(rule.composite, rule)
    if (rule.matches !== null) node.wildcards.push(rule)
  }
}

/** Order of checks: as the reference makes them, so that the first mistake is the same. */
function compileDescriptor(
  node: { children: Map<string, Rule> },
  block: DescriptorBlock,
  { parent, path, report }: Place,
): Rule | null {
  const wrong = (field: string, message: string, hint?: string) =>
    report({ path: `${path}.${field}`, line: block.line, message, ...(hint !== undefined && { hint }) })
  if (block.key === '') {
    wrong('key', 'descriptor has empty key', 'a descriptor begins with "key: NAME"')
    return null
  }
  const composite = block.value === '' ? block.key : `${block.key}_${block.value}`
  const fullKey = `${parent}${composite}`
  if (node.children.has(composite)) {
    const hint = 'it is written twice, or joins to the same text as another; put both into one, or rename one'
    wrong('key', `duplicate descriptor composite key '${fullKey}'`, hint)
    return null
  }
  const limit = block.rateLimit === null ? null : compileLimit(block, block.rateLimit, fullKey, path, report)
  const isWildcard = composite.includes('*')
  if (block.shareThreshold && !isWildcard) {
    wrong(
      'share_threshold',
      `share_threshold can only be used with wildcard values (containing '*'), but found key '${composite}'`,
    )
  }
  const children = new Map<string, Rule>()
  const wildcards: Rule[] = []
  addDescriptors({ children, wildcards }, block.descriptors, { parent: `${fullKey}.`, path, report })
  return {
    key: block.key,
    value: block.value,
    composite,
    limit,
    sharesThreshold: block.shareThreshold,
    valueToMetric: block.valueToMetric,
    matches: isWildcard ? wildcardMatcher(composite) : null,
    children,
    wildcards,
  }
}

function compileLimit(
  block: DescriptorBlock,
  written: RateLimitBlock,
  statKey: string,
  path: string,
  report: Report,
): Limit | null {
  const wrong = (field: string, message: string, hint?: string) => {
    const line = field === 'unit' ? written.unitLine : written.line
    report({ path: `${path}.rate_limit.${field}`, line, message, ...(hint !== undefined && { hint }) })
  }
  const unit = parseUnit(written.unit)
  if (written.unlimited && unit !== null) {
    wrong('unit', 'should not specify rate limit unit when unlimited', 'leave out unit, or unlimited')
  }
  if (!written.unlimited && unit === null) {
    wrong('unit', `invalid rate limit unit '${written.unit}'`, unitHint(written.unit))
  }
  for (const name of written.replaces) {
    if (name === '') wrong('replaces', 'should not have an empty replaces entry')
    else if (name === written.name) wrong('replaces', 'replaces should not contain name of same descriptor')
  }
  if (!written.unlimited && unit === null) return null
  const { requestsPerUnit, name } = written
  return {
    rateLimit:
      written.unlimited || unit === null
        ? null
        : name === ''
          ? { requestsPerUnit, unit }
          : { requestsPerUnit, unit, name },
    requestsPerUnit,
    name,
    replaces: written.replaces,
    isShadow: block.shadowMode,
    isQuota: block.quotaMode,
    hasDetailedMetric: block.detailedMetric,
    metadata: block.metadata,
    statKey,
    stats: limitStatNames(statKey),
  }
}

const unitNames = units.map((unit) => unit.toLowerCase())

function unitHint(text: string): string {
  const near = text === '' ? undefined : nearest(text, unitNames)
  const all = `expected one of ${unitNames.join(', ')}`
  return near === undefined ? all : `did you mean "${near}"? ${all}`
}
