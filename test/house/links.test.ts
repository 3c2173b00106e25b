import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { projectRoot } from '../../bin/project.ts'

/** Folders whose pages people read. */
const folders = ['docs', 'bench', 'examples', 'test', 'soak', 'console']

/** Every page of the project, with its text outside of code blocks. */
const pages = [
  ...readdirSync(projectRoot).map((name) => join(projectRoot, name)),
  ...folders.flatMap((folder) =>
    readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
      join(projectRoot, folder, name),
    ),
  ),
]
  .filter((path) => path.endsWith('.md'))
  .map((path) => ({ path, text: readFileSync(path, 'utf8').replace(/^ *```[\s\S]*?^ *```$/gm, '') }))

/** Targets of links and images of a page that are not on other hosts. */
function localTargets(text: string): readonly string[] {
  return [...text.replace(/`[^`\n]*`/g, '').matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
}

/** Anchors of a page as GitHub makes them of its headings: a repeated heading gets a number. */
function anchorsOf(text: string): ReadonlySet<string> {
  const seen = new Map<string, number>()
  const anchors = [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => {
    const anchor = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-')
    const count = seen.get(anchor) ?? 0
    seen.set(anchor, count + 1)
    return count === 0 ? anchor : `${anchor}-${count}`
  })
  return new Set(anchors)
}

/** What is wrong with a link of a page; undefined where it leads somewhere. */
function mistakeOf(page: string, target: string): string | undefined {
  const [file = '', anchor] = target.split('#')
  const path = file === '' ? page : join(dirname(page), decodeURIComponent(file))
  if (!existsSync(path)) return 'no such file'
  if (relative(projectRoot, path).startsWith('..')) return 'outside of the project'
  if (anchor === undefined) return undefined
  if (statSync(path).isDirectory() || !path.endsWith('.md')) return 'an anchor of what is not a page'
  return anchorsOf(readFileSync(path, 'utf8')).has(anchor) ? undefined : 'no such heading'
}

describe('links of the pages', () => {
  it('lead to files and headings that exist', () => {
    const links = pages.flatMap(({ path, text }) => localTargets(text).map((target) => ({ path, target })))
    expect(links.length).toBeGreaterThan(80)
    const broken = links.flatMap(({ path, target }) => {
      const mistake = mistakeOf(path, target)
      return mistake === undefined ? [] : [`${relative(projectRoot, path)}: ${target}: ${mistake}`]
    })
    expect(broken).toEqual([])
  })

  it('reach every page of docs from the README', () => {
    const reached = new Set<string>([join(projectRoot, 'README.md')])
    for (const path of reached) {
      const text = pages.find((page) => page.path === path)?.text ?? ''
      for (const target of localTargets(text)) reached.add(join(dirname(path), target.split('#')[0] ?? ''))
    }
    const docs = pages.map(({ path }) => path).filter((path) => path.startsWith(join(projectRoot, 'docs')))
    expect(docs.filter((path) => !reached.has(path)).map((path) => relative(projectRoot, path))).toEqual([])
  })

  it('are found broken by what checks them', () => {
    const page = join(projectRoot, 'docs/quota.md')
    expect(mistakeOf(page, 'no-such-page.md')).toBe('no such file')
    expect(mistakeOf(page, 'storage.md#no-such-heading')).toBe('no such heading')
    expect(mistakeOf(page, 'storage.md#state-of-earlier-builds')).toBeUndefined()
  })
})
