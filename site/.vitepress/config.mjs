/** The site: the pages of the repository as they are, in groups for a sidebar, with search in the browser. */

import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
/** Address of the public repository, such as https://github.com/OWNER/REPOSITORY; links to sources need it. */
const repository = process.env.SITE_REPOSITORY ?? ''

const groups = [
  ['Begin', ['README.md', 'docs/tour.md', 'docs/glossary.md', 'docs/console.md']],
  ['Tasks', namesIn('docs/tasks')],
  ['Rate limit', ['ratelimit', 'from-a-worker', 'from-another-limiter', 'grpc', 'gateways', 'quota'].map(page)],
  ['Grid', ['grid', 'scenarios'].map(page)],
  ['Stream network', ['streamnet', 'gateway', 'devnode', 'test-without-a-network'].map(page)],
  ['Operate', ['operations', 'production', 'settings', 'storage', 'access-proxy'].map(page)],
  ['The project', ['architecture', 'choices', 'stability'].map(page)],
  ['Decisions', namesIn('docs/decisions')],
  ['More', ['bench/README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CODE_OF_CONDUCT.md']],
]
const pages = new Set(groups.flatMap(([, paths]) => paths))

function page(name) {
  return `docs/${name}.md`
}

function namesIn(folder) {
  const names = readdirSync(join(root, folder)).filter((name) => name.endsWith('.md'))
  return names.sort().map((name) => `${folder}/${name}`)
}

/** Copies the pages below the site: only there does the module that a page becomes find its packages. */
function copyPages() {
  const copy = join(root, 'site/pages')
  rmSync(copy, { recursive: true, force: true })
  for (const path of [...pages, 'docs/images']) cpSync(join(root, path), join(copy, path), { recursive: true })
}

/** The first heading of a page. */
function titleOf(path) {
  return /^# (.+)$/m.exec(readFileSync(join(root, path), 'utf8'))?.[1] ?? path
}

/** A link to a file that is not a page leads to the repository, or to nothing where that has no address. */
function linkSources(md) {
  const open = md.renderer.rules.link_open ?? ((tokens, at, options, _, self) => self.renderToken(tokens, at, options))
  md.renderer.rules.link_open = (tokens, at, options, env, self) => {
    const token = tokens[at]
    const [path = ''] = (token.attrGet('href') ?? '').split('#')
    if (path === '' || /^[a-z]+:/.test(path)) return open(tokens, at, options, env, self)
    const target = posix.join(posix.dirname(env.relativePath ?? ''), path)
    if (pages.has(target)) return open(tokens, at, options, env, self)
    if (repository === '') token.attrs = [['class', 'source']]
    else token.attrSet('href', `${repository}/tree/main/${target}`)
    return self.renderToken(tokens, at, options)
  }
}

/** Drops the comments of Markdown: they mark parts of pages that a command writes, and without HTML they would show. */
function dropComments(md) {
  const render = md.render.bind(md)
  md.render = (text, env) => render(text.replaceAll(/<!--[\s\S]*?-->/g, ''), env)
}

function changeMarkdown(md) {
  linkSources(md)
  dropComments(md)
}

/** Groups that are open when a reader comes: Begin, Tasks and Rate limit. */
const openGroups = 3

copyPages()

export default defineConfig({
  title: 'Sluice',
  description: 'A grid-security simulation, an Envoy-compatible rate limit service and a data-stream client',
  srcDir: 'pages',
  outDir: 'dist',
  rewrites: { 'README.md': 'index.md' },
  base: process.env.SITE_BASE ?? '/',
  cleanUrls: true,
  ignoreDeadLinks: 'localhostLinks',
  // Pages are written without HTML: a name in angle brackets is a name.
  markdown: { html: false, config: changeMarkdown },
  themeConfig: {
    search: { provider: 'local' },
    nav: [{ text: 'API', link: '/api/index.html', target: '_self' }],
    sidebar: groups.map(([text, paths], at) => ({
      text,
      collapsed: at >= openGroups,
      items: paths.map((path) => ({ text: titleOf(path), link: path === 'README.md' ? '/' : `/${path}` })),
    })),
    outline: [2, 3],
  },
})
