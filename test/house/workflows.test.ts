import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { projectRoot } from '../../bin/project.ts'

const folder = join(projectRoot, '.github/workflows')
const workflows = readdirSync(folder).map((name) => ({
  name,
  text: readFileSync(join(folder, name), 'utf8'),
}))
const page = readFileSync(join(projectRoot, 'docs/production.md'), 'utf8')

describe('workflows', () => {
  it.each(workflows)(
    '$name is YAML with jobs, and every secret and variable of it is in docs/production.md',
    ({ text }) => {
      const { jobs } = parse(text)
      expect(Object.keys(jobs).length).toBeGreaterThan(0)
      const names = [...text.matchAll(/\b(?:secrets|vars)\.(\w+)/g)].map((match) => match[1] ?? '')
      expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
    },
  )

  it('deploy a tag only after the checks, and never two at once', () => {
    const { on, jobs, concurrency, permissions } = parse(readFileSync(join(folder, 'deploy.yml'), 'utf8'))
    expect(on.push.tags).toEqual(['v*'])
    expect([jobs.deploy.needs, concurrency['cancel-in-progress'], permissions]).toEqual([
      'check',
      false,
      { contents: 'read' },
    ])
  })
})

describe('docs/production.md', () => {
  it('says of every object what a rollback means for it', () => {
    const index = readFileSync(join(projectRoot, 'wrangler.toml'), 'utf8')
    const classes = new Set([...index.matchAll(/class_name = "(\w+)"/g)].map((match) => match[1] ?? ''))
    expect([...classes].filter((name) => !page.includes(`\`${name}\``))).toEqual([])
  })
})
