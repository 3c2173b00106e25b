/** `bin/run.mjs`: what it does before there are packages, and what it does again. */

import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { projectRoot } from '#bin/project.ts'

let parent: string
let root: string
const lockFile = (version: string) =>
  JSON.stringify({
    packages: {
      '': {},
      'node_modules/esbuild': { version, integrity: 'sha512-a' },
      'node_modules/elsewhere': { version: '1.0.0', optional: true },
    },
  })

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'sluice-run-'))
  root = join(parent, 'project')
  mkdirSync(join(root, 'bin'), { recursive: true })
  cpSync(join(projectRoot, 'bin/run.mjs'), join(root, 'bin/run.mjs'))
  cpSync(join(projectRoot, 'bin/run'), join(root, 'bin/run'), { recursive: true })
  writeFileSync(join(root, 'bin/hello.ts'), "console.log('hello')")
  writeFileSync(join(root, 'package-lock.json'), lockFile('1.0.0'))
  // In the place of npm: what it would fetch, and that it failed.
  mkdirSync(join(parent, 'bin'))
  const npm = [
    '#!/bin/sh',
    'echo "npm http fetch GET 200 https://registry/a/-/a-1.0.0.tgz" >&2',
    'echo "npm error code E404" >&2',
    'exit 3',
  ]
  writeFileSync(join(parent, 'bin/npm'), npm.join('\n'), { mode: 0o755 })
})
afterEach(() => rmSync(parent, { recursive: true }))

function run() {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['bin/run.mjs', 'hello'], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, PATH: `${join(parent, 'bin')}${delimiter}${process.env.PATH}` },
  })
  return { status, stdout, stderr }
}

/** Packages as npm leaves them; npm's own note of them is older than the lock file. */
function installed(version: string) {
  const packages = join(root, 'node_modules')
  mkdirSync(packages)
  for (const name of ['esbuild', '@esbuild']) {
    symlinkSync(join(projectRoot, 'node_modules', name), join(packages, name), 'dir')
  }
  const { packages: all } = JSON.parse(lockFile(version))
  const note = { packages: { 'node_modules/esbuild': all['node_modules/esbuild'] } }
  writeFileSync(join(packages, '.package-lock.json'), JSON.stringify(note))
  utimesSync(join(packages, '.package-lock.json'), 1_000_000_000, 1_000_000_000)
}

describe('bin/run.mjs', () => {
  it('does not empty the packages of another checkout, to which node_modules is a link', () => {
    const other = join(parent, 'other')
    mkdirSync(join(other, 'package'), { recursive: true })
    symlinkSync(other, join(root, 'node_modules'), 'dir')
    const { status, stderr } = run()
    expect([status, existsSync(join(other, 'package'))]).toEqual([1, true])
    expect(stderr).toContain('node_modules is a link')
  })

  it('passes on the errors of an installation that failed, not every package that it fetched', () => {
    expect(run()).toEqual({
      status: 1,
      stdout: '',
      stderr:
        'npm error code E404\nCannot install packages: npm ci ended with exit code 3. It needs the package registry that npm is set up for.\n',
    })
  })

  it('installs nothing where only the time of the lock file is newer, and installs after a change of its text', () => {
    installed('1.0.0')
    expect(run()).toEqual({ status: 0, stdout: 'hello\n', stderr: '' })
    writeFileSync(join(root, 'package-lock.json'), lockFile('1.0.1'))
    expect(run().stderr).toContain('npm ci ended with exit code 3')
  })

  it('runs a command without the bundler until its sources change', () => {
    installed('1.0.0')
    run()
    const bundler = join(root, 'node_modules/esbuild')
    rmSync(bundler)
    expect(run()).toMatchObject({ status: 0, stdout: 'hello\n' })
    writeFileSync(join(root, 'bin/hello.ts'), "console.log('good day')")
    expect(run().stderr).toContain('esbuild')
    symlinkSync(join(projectRoot, 'node_modules/esbuild'), bundler, 'dir')
    expect(run()).toMatchObject({ status: 0, stdout: 'good day\n' })
  })
})
