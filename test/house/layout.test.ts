import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { projectRoot } from '#bin/project.ts'
import { codeOf, sources } from './source.ts'

const tracked = execFileSync('git', ['ls-files'], { cwd: projectRoot, encoding: 'utf8' }).trim().split('\n')

const topLevel = [
  '.ci', '.github', '.dev.vars.example',
  '.gitignore', '.dockerignore', 'CHANGELOG.md', 'CODE_OF_CONDUCT.md', 'CONTRIBUTING.md', 'Dockerfile', 'LICENSE', 'README.md', 'SECURITY.md', 'bench', 'bin',
  'biome.json', 'console', 'docs', 'durable-objects', 'examples', 'package-lock.json', 'package.json', 'proto-json',
  'public', 'site', 'soak', 'src', 'test', 'tsconfig.json', 'vitest.config.ts', 'workers', 'wrangler.toml',
] // biome-ignore format: one glance

describe('the tree', () => {
  it('has no stray top-level entry', () => {
    const entries = new Set(tracked.map((path) => path.split('/')[0] ?? ''))
    expect([...entries].filter((entry) => !topLevel.includes(entry))).toEqual([])
  })

  it('has no file that is named for a role instead of what it holds', () => {
    const banned = /(^|\/)(utils?|helpers?|common|misc|managers?|shared)(\/|\.|-|$)/
    expect(tracked.filter((path) => banned.test(path))).toEqual([])
  })

  it('names files in kebab-case', () => {
    const code = tracked.filter((path) => /\.tsx?$/.test(path) && !path.includes('/gen/'))
    expect(code.filter((path) => !/^([\w.-]+\/)*[a-z0-9.-]+\.tsx?$/.test(path))).toEqual([])
  })
})

describe('code', () => {
  it('has no default export but a Worker entry and a tool setting', () => {
    const allowed = /^(workers\/(index|grid|ratelimit|streamnet)\.ts)$/
    const offenders = sources('src', 'proto-json', 'durable-objects', 'workers', 'bin', 'console').filter(
      ({ path, text }) => /^export default/m.test(text) && !allowed.test(path),
    )
    expect(offenders.map(({ path }) => path)).toEqual([])
  })

  it('defines error classes only in errors.ts', () => {
    const offenders = sources('src', 'proto-json', 'durable-objects', 'workers', 'console').filter(
      ({ path, text }) => !path.endsWith('/errors.ts') && /class \w+ extends (\w*Error)\b/.test(codeOf(text)),
    )
    expect(offenders.map(({ path }) => path)).toEqual([])
  })

  it('uses no `any`', () => {
    const offenders = sources('src', 'proto-json', 'durable-objects', 'workers', 'bin', 'console').filter(({ text }) =>
      /(: any\b|<any>|\bas any\b)/.test(codeOf(text)),
    )
    expect(offenders.map(({ path }) => path)).toEqual([])
  })

  it('explains every double cast in the lines before it', () => {
    const offenders = sources('src', 'proto-json', 'durable-objects', 'workers', 'bin', 'console').flatMap(
      ({ path, text }) => {
        const lines = text.split('\n')
        return lines.flatMap((line, index) => {
          const isExplained = lines.slice(Math.max(0, index - 3), index).some((before) => /\/\/|\*\//.test(before))
          return line.includes('as unknown as') && !isExplained ? [`${path}:${index + 1}`] : []
        })
      },
    )
    expect(offenders).toEqual([])
  })
})
