/** Configuration files become a rule book, or every mistake with its file, path and line. */

import { doAtOnce, type Sliced } from '../../base/slices.ts'
import type { Mistake } from '../contract/configuration.ts'
import { RatelimitError } from '../errors.ts'
import type { RuleBook } from '../rule-book.ts'
import { addDescriptors, emptyBranch, type GrowingDomain, indexBranch, type Report } from './compile-descriptors.ts'
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

/** A file of the configuration. */
export interface ConfigFile {
  /** Runtime key: the path below the runtime directory with `/` as `.`, for example `config.shop.a.yaml`. */
  readonly key: string
  readonly text: string
}

/** A file after its YAML was parsed: plain data, so that one parser can serve many compilers. */
export interface ParsedFile {
  /** Runtime key of the file. */
  readonly file: string
  readonly result: DocumentResult
}

/** Options that change how files are put together. */
export interface CompileOptions {
  /** True to let several files add to one domain (`MERGE_DOMAIN_CONFIG`). */
  readonly mergeDomains?: boolean
  /** Runtime key of the file being changed: of two files with one domain, the mistake is put on it. */
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
 * Compiles a whole set of files in the order given; one bad file rejects them all. The caller keeps the parsed files,
 * because parsing is most of the cost.
 *
 * @throws RatelimitError invalid_rules when a file has a mistake; the message is the reference's text of the first one.
 */
export function compileFiles(files: readonly ParsedFile[], options: CompileOptions = {}): RuleBook {
  return doAtOnce(compileFilesInSlices(files, options))
}

/**
 * Does what `compileFiles` does, in slices.
 *
 * @throws RatelimitError as `compileFiles` does.
 */
export function* compileFilesInSlices(files: readonly ParsedFile[], options: CompileOptions = {}): Sliced<RuleBook> {
  const { rules, mistakes } = yield* checkFilesInSlices(files, options)
  const [first] = mistakes
  if (first === undefined) return rules
  throw new RatelimitError('invalid_rules', mistakeText(first), { hint: describePlace(first, mistakes.length) })
}

function describePlace({ path, line, file }: Mistake, count: number): string {
  const place = path === '' ? `line ${line}` : `${path} at line ${line}`
  return `See ${place} of ${file}${count > 1 ? `; ${count} mistakes in all` : ''}`
}

/** Parses the YAML of files. Mistakes are part of the result. */
export function parseFiles(files: readonly ConfigFile[]): readonly ParsedFile[] {
  return doAtOnce(parseFilesInSlices(files))
}

/** Characters of files that are parsed without a pause: some 20 ms. */
const sliceCharacters = 20_000

/** Does what `parseFiles` does, in slices: the longest one, within the longest file, takes 60 ms. */
export function* parseFilesInSlices(files: readonly ConfigFile[]): Sliced<readonly ParsedFile[]> {
  const parsed: ParsedFile[] = []
  let characters = 0
  for (const { key, text } of files) {
    characters += text.length
    const isSliceFull = characters > sliceCharacters
    if (isSliceFull && parsed.length > 0) yield
    const parsing = readDocument(text)
    // The file that fills a slice may be long by itself: it yields inside as well.
    parsed.push({ file: key, result: isSliceFull ? yield* parsing : doAtOnce(parsing) })
    if (isSliceFull) characters = 0
  }
  return parsed
}

/** Compiles a whole set of files and keeps going after a mistake, to list them all. */
export function checkFiles(files: readonly ParsedFile[], options: CompileOptions = {}): Compiled {
  return doAtOnce(checkFilesInSlices(files, options))
}

/** Descriptors of all levels that are compiled without a pause. */
const sliceDescriptors = 1_000

/** Does what `checkFiles` does, in slices of one file or many short ones. */
export function* checkFilesInSlices(files: readonly ParsedFile[], options: CompileOptions = {}): Sliced<Compiled> {
  const domains = new Map<string, GrowingDomain>()
  const compilation = { domains, files: new Map(files.map((parsed) => [parsed.file, parsed])), options }
  // The reference reads every file before it compiles the first.
  const mistakes: Mistake[] = files.flatMap(({ file, result }) =>
    (result.mistakes ?? []).map((mistake) => ({ file, ...mistake })),
  )
  let descriptors = 0
  for (const parsed of files) {
    if (descriptors > sliceDescriptors) {
      descriptors = 0
      yield
    }
    descriptors += 1 + countDescriptors(parsed.result.document?.descriptors ?? [])
    for (const mistake of compileFile(compilation, parsed)) mistakes.push({ file: parsed.file, ...mistake })
  }
  for (const domain of domains.values()) Object.assign(domain, indexBranch(domain))
  return { rules: { domains }, mistakes }
}

interface Compilation {
  readonly domains: Map<string, GrowingDomain>
  readonly files: ReadonlyMap<string, ParsedFile>
  readonly options: CompileOptions
}

/** Adds the rules of a file to their domain. Returns its mistakes beside those of parsing. */
function compileFile(compilation: Compilation, parsed: ParsedFile): readonly DocumentMistake[] {
  const unparsed = new Set(parsed.result.mistakes?.map(({ path }) => path))
  const found: DocumentMistake[] = []
  addDocument(compilation, parsed, (mistake) => {
    // What could not be parsed has its mistake already.
    if (!unparsed.has(mistake.path) && found.length <= mostMistakes) found.push(mistake)
  })
  return found.length > mostMistakes ? tooMany(found) : found
}

function addDocument(compilation: Compilation, { file, result: { document } }: ParsedFile, report: Report): void {
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
    const domain: GrowingDomain = known ?? { name, file, ...emptyBranch(), listed: new Map() }
    domains.set(name, domain)
    addDescriptors(domain, descriptors, { domain, parent: `${name}.`, path: '', report, listed: domain.listed })
  }
}

/** Of two files with one domain, the mistake is put on the one being changed, otherwise on the later one. */
function duplicateDomain(
  { files, options }: Compilation,
  name: string,
  later: { readonly file: string; readonly line: number },
  earlierFile: string,
): Mistake {
  const { document } = files.get(earlierFile)?.result ?? {}
  const earlier = { file: earlierFile, line: document?.domainLine ?? 1 }
  const [wrong, other] = earlierFile === options.changed ? [earlier, later] : [later, earlier]
  const hint = `line ${other.line} of ${other.file} has it too; rename one of them, or set MERGE_DOMAIN_CONFIG=true`
  return { ...wrong, path: 'domain', message: `duplicate domain '${name}' in config file`, hint }
}
