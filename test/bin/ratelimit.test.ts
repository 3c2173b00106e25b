/** The command line of configurations: check, push and watch, against the built bundle, with their exit codes. */

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, rename, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { projectRoot } from '#bin/project.ts'
import { makeFolder } from '../support/folder.ts'
import { hostServices } from '../support/host-services.ts'
import { adminToken, oneLimit } from '../support/ratelimit-servers.ts'
import { within } from '../support/wait.ts'

const folder = makeFolder()

const { client } = hostServices([{}])

/** Writes a folder of files and gives its path. */
async function directory(name: string, files: Readonly<Record<string, string>>): Promise<string> {
  const root = join(folder, name)
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  return root
}

interface Run {
  readonly child: ChildProcess
  /** Its standard error so far. */
  readonly errors: () => string
  readonly ended: () => Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>
}

function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): Run {
  const child = spawn(process.execPath, ['bin/run.mjs', 'ratelimit', ...args], {
    cwd: projectRoot,
    env: { ...process.env, ADMIN_TOKEN: adminToken, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let out = ''
  let err = ''
  child.stdout?.on('data', (chunk) => {
    out += chunk
  })
  child.stderr?.on('data', (chunk) => {
    err += chunk
  })
  const closed = new Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, out, err })),
  )
  return { child, errors: () => err, ended: () => within(args.join(' '), closed, () => out + err) }
}

const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) => start(args, env).ended()
const rlconfig = async () => (await client().operate('/rlconfig')).text()

describe('ratelimit check', () => {
  it('prints what it found and ends with 0', async () => {
    const dir = await directory('good', { 'a.yaml': oneLimit('a', 'day', 1), 'sub/b.yaml': oneLimit('b', 'hour', 2) })
    expect(await run(['check', dir])).toMatchObject({
      code: 0,
      out: 'all rate limit configs ok: 2 files, 2 domains, 2 limits\n',
    })
  })

  it('leaves dot files and dot folders out with RUNTIME_IGNOREDOTFILES, and takes them without', async () => {
    const dir = await directory('dots', {
      'a.yaml': oneLimit('a', 'day', 1),
      '.b.yaml': oneLimit('b', 'fortnight', 1),
      '.git/c.yaml': 'domain: c\ndescriptors: [{value: v}]\n',
    })
    expect(await run(['check', dir], { RUNTIME_IGNOREDOTFILES: 'true' })).toMatchObject({
      code: 0,
      out: 'all rate limit configs ok: 1 file, 1 domain, 1 limit\n',
    })
    const { code, err } = await run(['check', dir])
    expect(code).toBe(1)
    expect(err).toContain(`${join(dir, '.b.yaml')}: invalid rate limit unit 'fortnight'`)
    expect(err).toContain(`${join(dir, '.git/c.yaml')}: descriptor has empty key`)
  })

  it('prints every mistake with file and path and ends with 1', async () => {
    const dir = await directory('bad', {
      'a.yaml': oneLimit('a', 'fortnight', 1),
      'sub/b.yaml': 'domain: b\ndescriptors: [{value: v}]\n',
    })
    const { code, err } = await run(['check', dir])
    expect(code).toBe(1)
    expect(err).toContain(
      `${join(dir, 'a.yaml')}: invalid rate limit unit 'fortnight' (line 4, descriptors[0].rate_limit.unit)`,
    )
    expect(err).toContain(`${join(dir, 'sub/b.yaml')}: descriptor has empty key`)
  })

  it('says with --reference what the reference would refuse', async () => {
    const sliding = 'domain: a\ndescriptors:\n  - key: k\n    rate_limit: {unit: day, sluice: {algorithm: sliding}}\n'
    const dir = await directory('ours', { 'a.yaml': sliding })
    expect(await run(['check', dir])).toMatchObject({ code: 0 })
    const { code, err } = await run(['check', '--reference', dir])
    expect(code).toBe(1)
    expect(err).toContain(
      `${join(dir, 'a.yaml')}: the reference has no key 'sluice' (line 4, descriptors[0].rate_limit.sluice)`,
    )
  })

  it('ends with 1 and one sentence for a missing folder and an unknown command', async () => {
    const missing = await run(['check', join(folder, 'none')])
    expect([missing.code, missing.err]).toEqual([
      1,
      expect.stringMatching(/^Cannot read ".*none": there is no such folder\n$/),
    ])
    const file = join(await directory('one', { 'a.yaml': '' }), 'a.yaml')
    expect((await run(['check', file])).err).toBe(`Cannot read "${file}": it is a file, expected a folder\n`)
    expect((await run(['fly'])).code).toBe(1)
  })

  it.each([
    [['chekc', 'x'], 'there is no command "chekc"; did you mean "check"?'],
    [['zebra'], 'there is no command "zebra"'],
    [[], 'there is no command'],
    [['check'], 'check needs a folder'],
    [['push', 'a', 'b'], 'push takes one folder, not 2'],
    [['watch', 'a'], 'watch takes no folder; RUNTIME_ROOT and its companions name it'],
    [['push', 'a', '--ulr', 'x'], 'there is no option --ulr, perhaps --url'],
    [['push', 'a', '--zebra=1'], 'there is no option --zebra, see --help'],
  ])('says what is wrong with %j', async (args, problem) => {
    const { code, err } = await run(args)
    expect([code, err.split('\n')[0]]).toEqual([1, `Cannot run ratelimit: ${problem}`])
  })

  it('lists the mistakes of every stage, each with what would be right', async () => {
    const dir = await directory('stages', {
      'a.yaml': 'domain: a\ndescriptors:\n  - key: x\n    rate_limt: {unit: minutes}\n  - kye: z\n',
      'b.yaml': '# second\ndomain: a\n',
    })
    const { code, err } = await run(['check', dir])
    const named = err.replaceAll(join(dir, 'a.yaml'), 'A').replaceAll(join(dir, 'b.yaml'), 'B')
    expect([code, named.trimEnd().split('\n')]).toEqual([
      1,
      [
        'A: config error, unknown key \'rate_limt\' (line 4, descriptors[0].rate_limt): did you mean "rate_limit"?',
        'A: config error, unknown key \'kye\' (line 5, descriptors[1].kye): did you mean "key"?',
        'A: invalid rate limit unit \'minutes\' (line 4, descriptors[0].rate_limit.unit): did you mean "minute"? expected one of second, minute, hour, day, week, month, year',
        "B: duplicate domain 'a' in config file (line 2, domain): line 1 of A has it too; rename one of them, or set MERGE_DOMAIN_CONFIG=true",
      ],
    ])
  })
})

describe('ratelimit push', () => {
  it('replaces the configuration of a running service; a set with a mistake changes nothing', async () => {
    const good = await directory('push', { 'a.yaml': oneLimit('pushed', 'day', 4) })
    expect(await run(['push', good, '--url', client().url])).toMatchObject({ code: 0, err: '' })
    expect(await rlconfig()).toContain('pushed.k: unit=DAY requests_per_unit=4')
    const bad = await directory('push-bad', { 'a.yaml': oneLimit('pushed', 'eon', 4) })
    const refused = await run(['push', bad, '--url', client().url])
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringContaining(`${join(bad, 'a.yaml')}: invalid rate limit unit 'eon'`),
    ])
    expect(await rlconfig()).toContain('pushed.k: unit=DAY')
  })

  it('removes files of the service only with --prune, and names them', async () => {
    const names = ['b', 'c', 'd', 'e', 'f', 'g', 'h']
    const files = names.map((name) => [`${name}.yaml`, oneLimit(name, 'day', 1)])
    const many = await directory('push-many', Object.fromEntries(files))
    const one = join(folder, 'push')
    const push = (dir: string, ...flags: string[]) => run(['push', dir, '--url', client().url, ...flags])
    const surplus = 'config.b.yaml, config.c.yaml, config.d.yaml, config.e.yaml, config.f.yaml and 2 more'
    expect(await push(many)).toMatchObject({
      code: 1,
      out: '',
      err: `Cannot push "${many}": it would remove 1 file that the service has and the folder has not (config.a.yaml), expected --prune to remove them\n`,
    })
    expect(await rlconfig()).toContain('pushed.k')
    expect((await push(many, '--prune')).out).toMatch(
      new RegExp(`^revision \\d+ runs, 7 files; added ${surplus}; removed config.a.yaml\n$`),
    )
    const { code, out } = await push(one, '--json')
    expect([code, JSON.parse(out)]).toEqual([1, { wouldRemove: names.map((name) => `config.${name}.yaml`) }])
    expect((await push(one, '--prune')).out).toContain(`1 file; added config.a.yaml; removed ${surplus}\n`)
    expect((await push(one)).out).toMatch(/^revision \d+ runs, 1 file\n$/)
  })

  it('refuses two files that have one key, of which one would be lost', async () => {
    const dir = await directory('same-key', { 'a/b.yaml': oneLimit('a', 'day', 1), 'a.b.yaml': '' })
    expect((await run(['check', dir])).err).toMatch(
      /^Cannot read ".*": .*b\.yaml and .*b\.yaml have the key config\.a\.b\.yaml, expected another name for one\n$/,
    )
  })

  it('prints the number of mistakes that the service left out of a long list', async () => {
    const lines = Array.from({ length: 1_900 }, (_, at) => `  - {key: k${at}, rate_limit: {unit: eon}}`)
    const dir = await directory('push-very-bad', { 'a.yaml': `domain: a\ndescriptors:\n${lines.join('\n')}\n` })
    const { code, err } = await run(['push', dir, '--url', client().url])
    const told = err.trimEnd().split('\n')
    expect([code, told.at(-1)]).toEqual([1, `and ${1_901 - told.length} further mistakes`])
    const { code: again, out } = await run(['push', dir, '--url', client().url, '--json'])
    const { mistakes, leftOut } = JSON.parse(out)
    expect([again, mistakes.length, leftOut]).toEqual([1, told.length - 1, 1_901 - told.length])
  })

  it('refuses a folder without files, which would take every rule from the service', async () => {
    const empty = join(folder, 'empty')
    await mkdir(empty)
    const { code, err } = await run(['push', empty, '--url', client().url])
    expect([code, err]).toEqual([1, `Cannot read "${empty}": it has no files, expected a folder with the rules\n`])
    expect(await run(['check', empty])).toMatchObject({ code: 1, err })
    expect(await rlconfig()).toContain('pushed.k: unit=DAY')
  })

  it('ends with 1 without a token, with a wrong one, and without a service', async () => {
    const dir = join(folder, 'push')
    for (const [url, token] of [
      [client().url, ''],
      [client().url, 'wrong'],
      ['http://127.0.0.1:1', adminToken],
    ] as const) {
      const { code, err } = await run(['push', dir, '--url', url], { ADMIN_TOKEN: token })
      expect([code, err]).toEqual([1, expect.stringMatching(/^Cannot push/)])
      expect(err).not.toContain('wrong')
    }
  })
})

describe('ratelimit watch', () => {
  it('pushes at the start and when another directory is put at the root, until it is stopped', async () => {
    const first = await directory('v1', { 'app/config/a.yaml': oneLimit('first', 'day', 1) })
    const second = await directory('v2', { 'app/config/a.yaml': oneLimit('second', 'day', 2) })
    const root = join(folder, 'current')
    await symlink(first, root)
    const env = { RUNTIME_ROOT: root, RUNTIME_SUBDIRECTORY: 'app' }
    const { child, ended } = start(['watch', '--url', client().url], env)
    await expect.poll(rlconfig).toContain('first.k')
    await symlink(second, `${root}.new`)
    await rename(`${root}.new`, root)
    await expect.poll(rlconfig).toContain('second.k')
    child.kill('SIGTERM')
    expect((await ended()).code).toBe(0)
  })

  it('pushes what changes in place with RUNTIME_WATCH_ROOT=false, and goes on after a mistake', async () => {
    const root = await directory('direct', { 'app/config/a.yaml': oneLimit('before', 'day', 1) })
    const env = { RUNTIME_ROOT: root, RUNTIME_SUBDIRECTORY: 'app', RUNTIME_WATCH_ROOT: 'false' }
    const { child, errors, ended } = start(['watch', '--url', client().url], env)
    await expect.poll(rlconfig).toContain('before.k')
    await directory('direct', { 'app/config/a.yaml': oneLimit('wrong', 'eon', 1) })
    await expect.poll(errors).toContain("invalid rate limit unit 'eon'")
    expect(await rlconfig()).toContain('before.k')
    await directory('direct', { 'app/config/a.yaml': oneLimit('after', 'day', 1) })
    await expect.poll(rlconfig).toContain('after.k')
    child.kill('SIGINT')
    expect((await ended()).code).toBe(0)
  })
})
