/** Configuration files become a rule book, or every mistake with its file, path and line. */

import { doAtOnce, type Sliced } from '../../base/slices.ts'
import type { Mistake } from '../contract/configuration.ts'
import { RatelimitError } from '../errors.ts'
import { indexPatterns } from '../pattern/pattern.ts'
import type { RuleBook } from '../rule-book.ts'
import { indexWildcards } from '../wildcard-index.ts'
import { addDescriptors, type GrowingDomain, type Report } from './compile-descriptors.ts'
import type { ConfigFile } from './document.ts'
import { type DocumentResult, readDocument } from './grammar.ts'
import { type DocumentMistake, mostMistakes, tooMany } from './mistake.ts'
import { countDescriptors } from './set-bounds.ts'

/** Result of compiling: the rules of all files, and their mistakes. */
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

/** Options that change how files are put together. */
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
 * @throws RatelimitError invalid_rules when a file has a mistake; the message is the reference's text of the first one.
 */
export function compileRead(files: readonly ReadFile[], options: CompileOptions = {}): RuleBook {
  return doAtOnce(compileSlices(files, options))
}

/**
 * Does what `compileRead` does, in slices.
 *
 * @throws RatelimitError as `compileRead` does.
 */
export function* compileSlices(files: readonly ReadFile[], options: CompileOptions = {}): Sliced<RuleBook> {
  const { rules, mistakes } = yield* checkSlices(files, options)
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
  return doAtOnce(checkSlices(readFiles(files), options))
}

/** Reads the YAML of files at once. */
export function readFiles(files: readonly ConfigFile[]): readonly ReadFile[] {
  return doAtOnce(readSlices(files))
}

/** Characters of files that are read without a pause: some 20 ms. */
const sliceCharacters = 20_000

/** Reads the YAML of files in slices; the longest file takes one of 60 ms. Mistakes are part of its result. */
export function* readSlices(files: readonly ConfigFile[]): Sliced<readonly ReadFile[]> {
  const read: ReadFile[] = []
  let characters = 0
  for (const file of files) {
    characters += file.text.length
    const isLong = characters > sliceCharacters
    if (isLong && read.length > 0) yield
    const reading = readDocument(file.text)
    read.push({ file: file.key, result: isLong ? yield* reading : doAtOnce(reading) })
    if (isLong) characters = 0
  }
  return read
}

/** Descriptors of all levels that are compiled without a pause. */
const sliceDescriptors = 1_000

/** Compiles files that were read before, and lists every mistake, in slices of one file or many short ones. */
export function* checkSlices(files: readonly ReadFile[], options: CompileOptions = {}): Sliced<Compiled> {
  const domains = new Map<string, GrowingDomain>()
  const byKey = new Map(files.map((read) => [read.file, read]))
  // The reference reads every file before it compiles the first.
  const mistakes: Mistake[] = files.flatMap(({ file, result }) =>
    (result.mistakes ?? []).map((mistake) => ({ file, ...mistake })),
  )
  let descriptors = 0
  for (const read of files) {
    if (descriptors > sliceDescriptors) {
      descriptors = 0
      yield
    }
    descriptors += 1 + countDescriptors(read.result.document?.descriptors ?? [])
    const unreadPaths = new Set(read.result.mistakes?.map(({ path }) => path))
    const found: DocumentMistake[] = []
    addDocument({ domains, files: byKey, options }, read, (mistake) => {
      // What could not be read has its mistake already.
      if (!unreadPaths.has(mistake.path) && found.length <= mostMistakes) found.push(mistake)
    })
    const listed = found.length > mostMistakes ? tooMany(found) : found
    for (const mistake of listed) mistakes.push({ file: read.file, ...mistake })
  }
  for (const domain of domains.values()) {
    domain.index = indexWildcards(domain.wildcards)
    domain.patterns = indexPatterns(domain.children.values())
  }
  return { rules: { domains }, mistakes }
}

interface Compilation {
  readonly domains: Map<string, GrowingDomain>
  readonly files: ReadonlyMap<string, ReadFile>
  readonly options: CompileOptions
}

function addDocument(compilation: Compilation, { file, result: { document } }: ReadFile, report: Report): void {
  if (document === undefined) return
  const { domains, options } = compilation
  const { domain: name, domainLine: line, descriptors } = document
  const known = domains.get(name)
  if (name === '') {
    const hint = 'a file begins with "domain: NAME"'
    report({ path: 'domain', line, message: 'config file cannot have empty domain', hint })
  } else if (known !== undefined && options.mergeDomains !== true) {
    report(duplicateDomain(compilation, name, { file, line }, known.file))
  } else {
    const domain: GrowingDomain = known ?? {
      name,
      file,
      children: new Map(),
      wildcards: [],
      index: null,
      patterns: null,
      listed: new Map(),
    }
    domains.set(name, domain)
    addDescriptors(domain, descriptors, { domain, parent: `${name}.`, path: '', report, listed: domain.listed })
  }
}

/** Of two files with one domain the later one has the mistake, but that which is being changed if it is one of them. */
function duplicateDomain(
  { files, options }: Compilation,
  name: string,
  later: { readonly file: string; readonly line: number },
  earlierFile: string,
): Mistake {
  const read = files.get(earlierFile)
  const earlier = { file: earlierFile, line: read?.result.document?.domainLine ?? 1 }
  const [wrong, other] = earlierFile === options.changed ? [earlier, later] : [later, earlier]
  const hint = `line ${other.line} of ${other.file} has it too; rename one of them, or set MERGE_DOMAIN_CONFIG=true`
  return { ...wrong, path: 'domain', message: `duplicate domain '${name}' in config file`, hint }
}
