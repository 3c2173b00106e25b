import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'
import { projectRoot } from '#bin/project.ts'
import { codeOf, type Source, sources } from './source.ts'

const files = sources(
  'src/streamnet',
  'src/ratelimit',
  'proto-json',
  'src/gateway',
  'src/devnode',
  'src/grid',
  'durable-objects/streamnet',
  'durable-objects/grid',
  'workers/streamnet',
  'workers/grid',
)

/** The codes of each error class, read from the file that declares them. */
const codes: Readonly<Record<string, ReadonlySet<string>>> = {
  StreamNetError: codesIn('src/streamnet/errors.ts', /^ {2}([a-z_]+): (?:undefined|\{)/gm),
  BulkInsertError: new Set(['bulk_insert_failed']),
  GatewayError: codesIn('src/gateway/errors.ts', /^ {2}\| '([a-z_]+)'/gm),
  DevnodeError: codesIn('src/devnode/errors.ts', /^ {2}\| '([a-z_]+)'/gm),
  GridError: codesIn('src/grid/errors.ts', /^ {2}\| '([a-z_]+)'/gm),
  RatelimitError: codesIn('src/ratelimit/errors.ts', /^ {2}'([a-z_]+)',$/gm),
  ProtoJsonError: codesIn('proto-json/errors.ts', /^ {2}\| '([a-z_]+)'/gm),
  VariableError: new Set(['invalid_settings']),
}

/** A function, method or constructor with its doc comment, as the formatter writes it. */
interface Declaration {
  readonly path: string
  /** `name`, or `Class.name` of a member. */
  readonly name: string
  /** Lines of the comment without their stars. */
  readonly doc: readonly string[]
  readonly parameters: string
  /** Its code without comments, texts, `try` blocks whose `catch` throws nothing, and promises it makes. */
  readonly body: string
}

/** Functions that call one that throws and do not throw themselves, with the reason. */
const silent = new Set([
  // It catches what its nested functions throw.
  keyOf('src/ratelimit/config/document.ts', 'readTree'),
  keyOf('src/grid/scenario/document.ts', 'readDocument'),
  // So does `compose`, which gives the first mistake away instead.
  keyOf('src/base/yaml/syntax.ts', 'firstErrorComposer'),
])

const declarations = files.flatMap(declarationsIn)
const throwing = throwingNames(importedNames)
const throwingInTheirFile = throwingNames(() => new Map())
const published = publishedDeclarations()

describe('@throws', () => {
  it('has one form: class, code, when; or class, as another function does', () => {
    const offenders = files.flatMap(({ path, text }) =>
      [...text.matchAll(/\/\*\*[\s\S]*?\*\//g)].flatMap(([comment]) =>
        tagsOf(linesOf(comment), 'throws')
          .filter((tag) => !isWellFormed(tag))
          .map((tag) => `${path}: @throws ${tag}`),
      ),
    )
    expect(offenders).toEqual([])
  })

  it('is the first word of its line', () => {
    const inline = files.flatMap(({ path, text }) =>
      [...text.matchAll(/^\s*(?:\/\*\*|\*) [^@\n]+ @(?:throws|param|returns) .*$/gm)].map(
        ([line]) => `${path}: ${line.trim()}`,
      ),
    )
    expect(inline).toEqual([])
  })

  it('is there at every exported function of the grid that throws, itself or by another of its file', () => {
    const missing = declarations.filter(
      ({ path, name, doc }) =>
        path.startsWith('src/grid/') &&
        isExported(path, name) &&
        throwingInTheirFile.has(keyOf(path, name)) &&
        tagsOf(doc, 'throws').length === 0,
    )
    expect(missing.map(({ path, name }) => `${path}: ${name}`)).toEqual([])
  })

  it('is there at every public function that can throw', () => {
    const missing = published.filter(
      ({ path, name, doc }) => throwing.has(keyOf(path, name)) && tagsOf(doc, 'throws').length === 0,
    )
    expect(missing.map(({ path, name }) => `${path}: ${name}`)).toEqual([])
  })

  it('is there at every function that the rate limiter exports and that can throw', () => {
    const exported = new Set(
      files.filter(({ path }) => path.startsWith('src/ratelimit/')).flatMap(({ path }) => [...exportsOf(path)]),
    )
    const missing = declarations.filter(
      ({ path, name, doc }) =>
        exported.has(keyOf(path, name)) && throwing.has(keyOf(path, name)) && tagsOf(doc, 'throws').length === 0,
    )
    expect(missing.map(({ path, name }) => `${path}: ${name}`)).toEqual([])
  })
})

describe('@param', () => {
  it('is there for every parameter of a public function but the client', () => {
    const missing = published.flatMap(({ path, name, doc, parameters }) => {
      const described = tagsOf(doc, 'param').map((tag) => /^(\w+) - \S/.exec(tag)?.[1])
      return parameterNames(parameters)
        .filter((parameter) => !/^_?client$/.test(parameter) && !described.includes(parameter))
        .map((parameter) => `${path}: ${name}(${parameter})`)
    })
    expect(missing).toEqual([])
  })
})

describe('public modules', () => {
  it('hold about three lines of comment in ten', () => {
    const paths = new Set(published.map(({ path }) => path))
    const lines = files.filter(({ path }) => paths.has(path)).flatMap(({ text }) => text.trimEnd().split('\n'))
    const comments = lines.filter((line) => /^\s*(?:\/\*\*|\*|\/\/)/.test(line))
    expect(comments.length / lines.length).toBeGreaterThan(0.27)
  })
})

function isWellFormed(tag: string): boolean {
  const [, name = '', code, other] =
    /^(\w+Error) (?:([a-z_]+) when \S.*|as (?:`([\w.]+)`|the (?:action|operation)) does\b.*)\.$/.exec(tag) ?? []
  // The platform's own errors have no code.
  if (/^(?:Type|Range)?Error when \S.*\.$/.test(tag)) return true
  if (code !== undefined) return codes[name]?.has(code) === true
  if (other === undefined) return name in codes
  return declarations.some(({ name: known, doc }) => known === other && tagsOf(doc, 'throws').length > 0)
}

/** The texts of a tag, their further lines joined. */
function tagsOf(doc: readonly string[], tag: string): readonly string[] {
  const blocks = doc.join('\n').split(/\n(?=@|\n)/)
  return blocks
    .map((block) => block.trim())
    .filter((block) => block.startsWith(`@${tag} `))
    .map((block) => block.slice(tag.length + 2).replaceAll('\n', ' '))
}

function linesOf(comment: string): readonly string[] {
  return comment
    .replace(/^\/\*\*\s?|\s*\*\/$/g, '')
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, ''))
}

/** Every function, method and constructor of a file. Generated from its indentation, which Biome fixes. */
function declarationsIn({ path, text }: Source): readonly Declaration[] {
  const head =
    /^( *)(?:export )?(?:static )?(?:override )?(?:async )?(?:function\*? (\w+)|(constructor|#?\w+))(?:<.*>)?\(/
  const lines = text.split('\n')
  let owner = ''
  return lines.flatMap((line, at) => {
    owner = /^(?:export )?(?:class|interface) (\w+)/.exec(line)?.[1] ?? (line === '}' ? '' : owner)
    const [, indent = '', ofFile, member] = head.exec(line) ?? []
    const name = ofFile ?? (indent === '  ' && owner !== '' ? member : undefined)
    if (name === undefined || (ofFile !== undefined && indent !== '')) return []
    const end = endOf(lines, at, indent)
    const code = codeOf(lines.slice(at, end + 1).join('\n'))
    const split = code.search(/\{\n/) === -1 ? code.length : code.indexOf('{\n', code.search(/\)[^)]*\{\n/))
    return [
      {
        path,
        name: owner === '' ? name : `${owner}.${name}`,
        doc: docBefore(lines, at),
        parameters: code.slice(code.indexOf('(') + 1, split),
        body: withoutCaught(/\basync\b/.test(line) ? code.slice(split) : withoutAsync(code.slice(split))),
      },
    ]
  })
}

/** The last line of a declaration: its own, or the first that closes its indentation. */
function endOf(lines: readonly string[], at: number, indent: string): number {
  let end = at
  while (end < lines.length - 1) {
    const line = lines[end] ?? ''
    const isOneLine = end === at && !/[({[,]$/.test(line)
    if (isOneLine || (end > at && line.startsWith(`${indent}}`) && !/[({,]$/.test(line))) return end
    // A signature without a body: an overload, or a method of an interface.
    if (end > at && line.startsWith(`${indent})`) && !line.endsWith('{')) return end
    end++
  }
  return end
}

/** The comment before a declaration; that of the first overload counts for all. */
function docBefore(lines: readonly string[], at: number): readonly string[] {
  let last = at - 1
  while (/^\s*\/\/ biome-ignore/.test(lines[last] ?? '')) last--
  if (!(lines[last] ?? '').trimEnd().endsWith('*/')) return []
  let first = last
  while (!(lines[first] ?? '').trim().startsWith('/**')) first--
  return linesOf(
    lines
      .slice(first, last + 1)
      .join('\n')
      .trim(),
  )
}

/** An error in an async function inside of a synchronous one rejects a promise and does not pass the outer one. */
function withoutAsync(body: string): string {
  return body.replace(/^( +)(?:const \w+ = )?async .*\{\n[\s\S]*?^\1\}/gm, '')
}

function withoutCaught(body: string): string {
  return body.replace(
    /^( *)(?:.*)\btry \{\n[\s\S]*?^\1\} catch(?: \(\w+\))? \{\n([\s\S]*?)^\1\}/gm,
    (all, _, caught) => (/\bthrow\b/.test(caught) ? all : ''),
  )
}

/** Names that can throw: they throw, ask a node, or call one that does, in their file or by an import of `namesOf`. */
function throwingNames(namesOf: (file: Source) => ReadonlyMap<string, string>): ReadonlySet<string> {
  const found = new Set<string>()
  const links = new Map(files.map((file) => [file.path, namesOf(file)]))
  for (let size = -1; size < found.size; ) {
    size = found.size
    for (const { path, name, body } of declarations) {
      const owner = name.split('.')[0] ?? ''
      const names = links.get(path) ?? new Map<string, string>()
      const calls = [...body.matchAll(/(?:\b(\w+)|(this)\.(#?\w+))\(/g)].map(([, plain = '', self, member = '']) =>
        self === undefined ? (names.get(plain) ?? keyOf(path, plain)) : keyOf(path, `${owner}.${member}`),
      )
      const asks = /\bclient\.(?:request|chain)\(|[tT]ransport\.request\(/.test(body)
      const isThrowing = /\bthrow\b/.test(body) || asks || calls.some((call) => found.has(call))
      if (isThrowing && !silent.has(keyOf(path, name))) found.add(keyOf(path, name))
    }
  }
  return found
}

function isExported(path: string, name: string): boolean {
  const { text = '' } = files.find((file) => file.path === path) ?? {}
  return text.includes(`export function ${name}(`) || text.includes(`export function ${name}<`)
}

function keyOf(path: string, name: string): string {
  return `${path}#${name}`
}

/** Resolves the imported names of a file to their file and name there. */
function importedNames({ path, text }: Source): ReadonlyMap<string, string> {
  return new Map(
    [...text.matchAll(/^import \{([^}]*)\} from '(\.[^']+)'/gm)].flatMap(([, names = '', specifier = '']) =>
      names.split(',').map((name) => {
        const [original = '', local = original] = name.trim().split(' as ')
        return [local, keyOf(fileOf(path, specifier), original)] as const
      }),
    ),
  )
}

function fileOf(from: string, specifier: string): string {
  return normalize(join(dirname(from), specifier)).replaceAll('\\', '/')
}

/** Functions that the public face exports by name or by star, and the public methods of its classes. */
function publishedDeclarations(): readonly Declaration[] {
  const names = exportsOf('src/streamnet/index.ts')
  const first = new Map<string, Declaration>()
  for (const declaration of declarations) {
    const [owner = '', member] = declaration.name.split('.')
    const isPublic = names.has(keyOf(declaration.path, owner)) && !member?.startsWith('#')
    const isNoted = declaration.doc.length > 0 || !first.has(keyOf(declaration.path, declaration.name))
    if (isPublic && isNoted) first.set(keyOf(declaration.path, declaration.name), declaration)
  }
  return [...first.values()]
}

/** The names a module exports, each with the file that declares it; types do not count. */
function exportsOf(path: string): ReadonlySet<string> {
  const text = readFileSync(join(projectRoot, path), 'utf8')
  const own = [...text.matchAll(/^export (?:async )?(?:function\*?|class|const) (\w+)/gm)].map(([, name = '']) =>
    keyOf(path, name),
  )
  const named = [...text.matchAll(/^export \{([^}]*)\} from '([^']+)'/gm)].flatMap(([, names = '', from = '']) =>
    names
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '' && !name.startsWith('type '))
      .map((name) => keyOf(fileOf(path, from), name)),
  )
  const starred = [...text.matchAll(/^export \* from '([^']+)'/gm)].flatMap(([, from = '']) => [
    ...exportsOf(fileOf(path, from)),
  ])
  return new Set([...own, ...named, ...starred])
}

/** The names of a parameter list, which begins behind its opening bracket. */
function parameterNames(parameters: string): readonly string[] {
  let depth = 0
  let outer = ''
  for (const character of parameters.replaceAll('=>', '')) {
    if ('({[<'.includes(character)) depth++
    else if (depth === 0 && character === ')') break
    else if (')}]>'.includes(character)) depth--
    else if (depth === 0) outer += character
  }
  return [...outer.matchAll(/(?:^|,)\s*(\w+)\??\s*[:=]/g)].map(([, name = '']) => name)
}

function codesIn(path: string, pattern: RegExp): ReadonlySet<string> {
  const text = readFileSync(join(projectRoot, path), 'utf8')
  return new Set([...text.matchAll(pattern)].map(([, code = '']) => code))
}
