import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import library from '#bin/package/library.json' with { type: 'json' }
import { projectRoot } from '#bin/project.ts'
import manifest from '../../package.json' with { type: 'json' }

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

/** A heading of a page. */
interface Heading {
  /** 1 to 6. */
  readonly level: number
  readonly title: string
  /** As GitHub makes it of the title: a repeated heading gets a number. */
  readonly anchor: string
}

/** Headings of a page without its code blocks. */
function headingsOf(text: string): readonly Heading[] {
  const seen = new Map<string, number>()
  return [...text.matchAll(/^(#{1,6}) (.+)$/gm)].map(([, marks = '', title = '']) => {
    const anchor = title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-')
    const count = seen.get(anchor) ?? 0
    seen.set(anchor, count + 1)
    return { level: marks.length, title, anchor: count === 0 ? anchor : `${anchor}-${count}` }
  })
}

/** Contents of a page as its head shows them: a line for each section, with its parts behind a colon. */
function contentsOf(text: string): string {
  const lines: string[][] = []
  for (const { level, title, anchor } of headingsOf(text)) {
    const link = `[${title}](#${anchor})`
    if (level === 2) lines.push([link])
    if (level === 3) lines.at(-1)?.push(link)
  }
  return lines
    .map(([section, ...parts]) => `- ${[section, ...(parts.length > 0 ? [parts.join(', ')] : [])].join(': ')}\n`)
    .join('')
}

/** Words from which on a page has contents. */
const longPage = 1_300
const longPages = pages
  .map(({ path, text }) => ({ name: relative(projectRoot, path), path, text }))
  .filter(({ name, path }) => {
    const words = readFileSync(path, 'utf8').split(/\s+/).length
    return /^(docs\/[^/]+|bench\/README.md)$/.test(name) && words > longPage
  })

/** Describes the mistake of a link of a page; undefined where it leads somewhere. */
function mistakeOf(page: string, target: string): string | undefined {
  const [file = '', anchor] = target.split('#')
  const path = file === '' ? page : join(dirname(page), decodeURIComponent(file))
  if (!existsSync(path)) return 'no such file'
  if (relative(projectRoot, path).startsWith('..')) return 'outside of the project'
  if (anchor === undefined) return undefined
  if (statSync(path).isDirectory() || !path.endsWith('.md')) return 'an anchor of what is not a page'
  const text = pages.find((one) => one.path === path)?.text ?? readFileSync(path, 'utf8')
  return headingsOf(text).some((heading) => heading.anchor === anchor) ? undefined : 'no such heading'
}

/** The words of a badge as its address has them: `label-message-colour`, with two hyphens for one. */
function badgeWords(address: string): string {
  const [, words = ''] = /\/badge\/(.+)-[a-z]+$/.exec(decodeURIComponent(address)) ?? []
  return words.replace(/--|-/g, (hyphen) => (hyphen === '--' ? '-' : ': '))
}

describe('the badges of the README', () => {
  it('say what package.json says', () => {
    const readme = readFileSync(join(projectRoot, 'README.md'), 'utf8')
    const badges = [...readme.matchAll(/!\[([^\]]+)\]\((https:[^)]+)\)/g)].map(([, , address = '']) =>
      badgeWords(address),
    )
    const { license, engines } = manifest
    expect(badges).toEqual([`licence: ${license}`, `node: ${engines.node}`, 'types: included'])
    expect(Object.values(library.exports).filter((one) => typeof one === 'object' && !('types' in one))).toEqual([])
  })
})

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

  it('and citations of tests name files that are there', () => {
    const cited = pages.flatMap(({ text }) => [...text.matchAll(/`(test\/[\w/.-]+)`/g)].map(([, path = '']) => path))
    expect(cited.length).toBeGreaterThan(50)
    expect(cited.filter((path) => !existsSync(join(projectRoot, path)))).toEqual([])
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
    expect(mistakeOf(page, 'storage.md#state-of-releases')).toBeUndefined()
  })
})

describe('the head of a page', () => {
  const headOf = (text: string) => text.slice(0, text.indexOf('\n## '))

  it.each(longPages)('has the contents of $name, which is long', ({ text }) => {
    expect(headOf(text)).toContain(`\n\n${contentsOf(text)}`)
  })

  it('links to the words of its surface', () => {
    const surfaces = {
      ratelimit: ['ratelimit', 'grpc', 'quota'],
      grid: ['grid'],
      streamnet: ['streamnet', 'gateway', 'devnode'],
    }
    const without = Object.entries(surfaces).flatMap(([anchor, names]) =>
      names.filter((name) => {
        const page = pages.find(({ path }) => path === join(projectRoot, `docs/${name}.md`))
        return !headOf(page?.text ?? '').includes(`](glossary.md#${anchor})`)
      }),
    )
    expect(without).toEqual([])
  })
})
