/** `bin/run.mjs`: what it does before there are packages. */

import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { projectRoot } from '../../bin/project.ts'

it('bin/run.mjs does not empty the packages of another checkout, to which node_modules is a link', () => {
  const parent = mkdtempSync(join(tmpdir(), 'sluice-run-'))
  const [root, other] = [join(parent, 'linked'), join(parent, 'other')]
  mkdirSync(join(root, 'bin'), { recursive: true })
  mkdirSync(join(other, 'package'), { recursive: true })
  cpSync(join(projectRoot, 'bin/run.mjs'), join(root, 'bin/run.mjs'))
  writeFileSync(join(root, 'bin/hello.ts'), '')
  writeFileSync(join(root, 'package-lock.json'), '{}')
  symlinkSync(other, join(root, 'node_modules'), 'dir')
  const { status, stderr } = spawnSync(process.execPath, ['bin/run.mjs', 'hello'], {
    cwd: root,
    encoding: 'utf8',
  })
  const isKept = existsSync(join(other, 'package'))
  rmSync(parent, { recursive: true })
  expect([status, isKept]).toEqual([1, true])
  expect(stderr).toContain('node_modules is a link')
})
