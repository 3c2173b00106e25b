import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { nodeVersions } from '#bin/nodes/installation.ts'
import { projectRoot } from '#bin/project.ts'
import { makeFolder } from '../support/folder.ts'

const folder = join(projectRoot, '.github/workflows')
const workflows = readdirSync(folder).map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }))
/** A step of a job: an action of another repository, or commands. */
interface Step {
  readonly uses?: string
  readonly run?: string
  readonly with?: Readonly<Record<string, unknown>>
  readonly env?: Readonly<Record<string, string>>
}

/** Mistakes in the text of a workflow: actions that can change under their name, rights and secrets that spread. */
function mistakesOf(text: string): readonly string[] {
  const { jobs, permissions, env } = parse(text)
  const secret = /\bsecrets\b/
  const mistakes: string[] = []
  if (JSON.stringify(permissions) !== '{"contents":"read"}') mistakes.push('permissions: not contents: read')
  if (secret.test(JSON.stringify(env ?? {}))) mistakes.push('a secret for every job')
  for (const [name, { steps, ...job }] of Object.entries<{ readonly steps: readonly Step[] }>(jobs)) {
    if (secret.test(JSON.stringify(job))) mistakes.push(`${name}: a secret for every step`)
    if ('permissions' in job && !hasRightOf(name, job.permissions, steps)) mistakes.push(`${name}: rights of its own`)
    for (const step of steps) {
      const { uses = '', run = '' } = step
      if (uses !== '' && !/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/.test(uses)) mistakes.push(`${uses}: not a digest`)
      if (uses.startsWith('actions/checkout@') && step.with?.['persist-credentials'] !== false)
        mistakes.push(`${name}: the checkout leaves its token in the folder`)
      const isTrusted = /^\s*npx wrangler deploy /m.test(run) && !/\bnpm\b/.test(run)
      if (secret.test(JSON.stringify(step)) && !isTrusted) mistakes.push(`${name}: a secret in ${run || uses}`)
    }
  }
  return mistakes
}

/** Rights beyond reading: a package is published with provenance, which says who runs; an image goes to the registry. */
const rights: Readonly<Record<string, object>> = {
  publish: { contents: 'read', 'id-token': 'write' },
  image: { contents: 'read', packages: 'write' },
  'image-tags': { contents: 'read', packages: 'write' },
}

/** Tells whether a job has its right and no other, and no secret. */
function hasRightOf(name: string, permissions: unknown, steps: readonly Step[]): boolean {
  return JSON.stringify(permissions) === JSON.stringify(rights[name]) && !/\bsecrets\b/.test(JSON.stringify(steps))
}

const page = readFileSync(join(projectRoot, 'docs/production.md'), 'utf8')

describe('forms of the repository', () => {
  const forms = [
    'dependabot.yml',
    ...readdirSync(join(folder, '../ISSUE_TEMPLATE')).map((name) => `ISSUE_TEMPLATE/${name}`),
  ]

  it.each(forms)('%s is YAML, and each of its questions has an id and a label', (name) => {
    const form: Readonly<Record<string, unknown>> = parse(readFileSync(join(folder, '..', name), 'utf8'))
    const questions = (form.body ?? []) as readonly { readonly id?: string; readonly attributes?: { label?: string } }[]
    expect(Object.keys(form).length).toBeGreaterThan(0)
    expect(questions.filter(({ id, attributes }) => !id || !attributes?.label)).toEqual([])
  })
})

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

  it('run actions by digest, with the right to read, and give secrets to the step that deploys', () => {
    expect(workflows.map(({ name, text }) => [name, mistakesOf(text)])).toEqual(workflows.map(({ name }) => [name, []]))
  })

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

it('test on every Node that is supported', () => {
  const { jobs } = parse(readFileSync(join(folder, 'ci.yml'), 'utf8'))
  expect(jobs.nodes.strategy.matrix.node).toEqual(nodeVersions)
})

it('push the image of each processor under the version, and none when it runs dry', () => {
  const { jobs } = parse(readFileSync(join(folder, 'publish.yml'), 'utf8'))
  const docker = makeFolder(onTestFinished)
  writeFileSync(join(docker, 'docker'), '#!/bin/sh\necho "docker $*"\n', { mode: 0o755 })
  const lines = (job: string, env: Readonly<Record<string, string>>) => {
    const { run = '' } = jobs[job].steps.at(-1)
    const own = { PATH: `${docker}:${process.env.PATH}`, GITHUB_REPOSITORY: 'Own/Sluice', GITHUB_REF_NAME: 'v0.1.0' }
    const { stdout } = spawnSync('bash', ['-ec', run], { env: { ...own, GITHUB_ACTOR: 'a', ...env }, encoding: 'utf8' })
    return stdout.trim().split('\n').slice(-1)
  }
  const own = 'ghcr.io/own/sluice'
  expect(lines('image', { PROCESSOR: 'arm64' })).toEqual([`docker push ${own}:0.1.0-arm64`])
  expect(lines('image', { PROCESSOR: 'amd64', DRY: '--dry-run' })).toEqual([`Dry: ${own}:0.1.0-amd64 is not pushed`])
  expect(lines('image-tags', {})[0]).toMatch(
    new RegExp(`--tag ${own}:0.1.0 --tag ${own}:latest ${own}:0.1.0-amd64 ${own}:0.1.0-arm64$`),
  )
  expect([jobs.image.needs, jobs['image-tags'].needs]).toEqual(['check', 'image'])
})

it('publish a tag only after the checks, and by hand dry by default', () => {
  const { on, jobs } = parse(readFileSync(join(folder, 'publish.yml'), 'utf8'))
  expect([on.push.tags, on.workflow_dispatch.inputs.dry.default, jobs.publish.needs]).toEqual([['v*'], true, 'check'])
})

describe('mistakesOf()', () => {
  const deploy = readFileSync(join(folder, 'deploy.yml'), 'utf8')
  it.each([
    ['an action by its tag', /@[0-9a-f]{40}/, '@v4', /actions\/checkout@v4: not a digest/],
    ['an action by a short digest', /@([0-9a-f]{7})[0-9a-f]{33}/, '@$1', /not a digest/],
    ['no permissions', /^permissions:\n.*\n/m, '', /permissions: not/],
    ['more permissions', 'contents: read', 'contents: write', /permissions: not/],
    ['permissions of a job', /environment: .*/, 'permissions: write-all', /deploy: rights/],
    ['a token that stays', 'persist-credentials: false', 'fetch-depth: 1', /check: the checkout/],
    ['a secret of all jobs', /^jobs:/m, 'env: { T: secrets.T }\njobs:', /every job/],
    ['a secret of a job', /environment: .*/, 'env: { T: secrets.T }', /every step/],
    ['a secret of npm ci', '- run: npm ci', '- run: npm ci\n        env: { T: secrets.T }', /in npm ci/],
    ['npm ci beside a secret', 'npx wrangler', 'npm ci && npx wrangler', /a secret in if/],
  ])('sees %s', (_, from, to, mistake) => {
    const edited = deploy.replace(from, to)
    expect(edited).not.toBe(deploy)
    expect(mistakesOf(edited).join('\n')).toMatch(mistake)
  })
})

describe('docs/production.md', () => {
  it('says of every object what a rollback means for it', () => {
    const index = readFileSync(join(projectRoot, 'wrangler.toml'), 'utf8')
    const classes = new Set([...index.matchAll(/class_name = "(\w+)"/g)].map((match) => match[1] ?? ''))
    expect([...classes].filter((name) => !page.includes(`\`${name}\``))).toEqual([])
  })
})
