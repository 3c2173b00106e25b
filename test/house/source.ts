/** Reads the project's own sources for the house tests. */

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { projectRoot } from '#bin/project.ts'

/** One source file: its path from the root, with forward slashes, and its text. */
export interface Source {
  readonly path: string
  readonly text: string
}

/** An import: who imports, what the specifier says, and the file it means when it is one of ours. */
export interface Import {
  readonly from: string
  readonly specifier: string
  /** Path from the root, or the bare package name with its subpath. */
  readonly target: string
  readonly isTypeOnly: boolean
}

/** All TypeScript files below some folders of the root, generated code aside. */
export function sources(...folders: readonly string[]): readonly Source[] {
  return folders.flatMap((folder) =>
    readdirSync(join(projectRoot, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
      .map((entry) => relative(projectRoot, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
      .filter((path) => !path.includes('/gen/'))
      .map((path) => ({ path, text: readFileSync(join(projectRoot, path), 'utf8') })),
  )
}

const statement =
  /^(?:import|export)(\s+type)?\s[^'"]*?from\s+'([^']+)'|^import\s+'([^']+)'|\bimport\(\s*'([^']+)'\s*\)/gm

/** The folders of `imports` in the manifest, by the start of their specifiers. */
const aliases: readonly (readonly [alias: string, folder: string])[] = Object.entries(
  JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')).imports as Record<string, string>,
).map(([alias, folder]) => [alias.slice(0, -1), folder.slice(2, -1)])

/** The path from the root that a specifier means, or the specifier of a package as it is. */
function targetOf(path: string, specifier: string): string {
  const [alias, folder] = aliases.find(([start]) => specifier.startsWith(start)) ?? []
  if (alias !== undefined) return `${folder}${specifier.slice(alias.length)}`
  if (!specifier.startsWith('.')) return specifier
  return normalize(join(dirname(path), specifier)).replaceAll('\\', '/')
}

/** The imports of one source, in order; an `import('…')` inside a type counts as a type. */
export function importsOf({ path, text }: Source): readonly Import[] {
  return [...text.matchAll(statement)].map((match) => {
    const specifier = match[2] ?? match[3] ?? match[4] ?? ''
    return {
      from: path,
      specifier,
      target: targetOf(path, specifier),
      isTypeOnly: match[1] !== undefined || match[4] !== undefined,
    }
  })
}

/** The text without comments and string contents, for rules about what code does rather than says. */
export function codeOf(text: string): string {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/(^|[^:'"`])\/\/.*$/gm, '$1')
    .replace(/'(?:[^'\\\n]|\\.)*'/g, "''")
}
