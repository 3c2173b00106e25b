import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { projectRoot } from '#bin/project.ts'
import { makeFolder } from '../support/folder.ts'

const folder = join(projectRoot, 'proto-json')
const bin = (name: string) => join(projectRoot, 'node_modules/.bin', name)

it('proto-json/gen is what the .proto files generate', () => {
  const fresh = makeFolder(onTestFinished)
  execFileSync(bin('buf'), ['generate', '--output', fresh], { cwd: folder, stdio: 'pipe' })
  const names = readdirSync(join(fresh, 'gen')).sort()
  expect(readdirSync(join(folder, 'gen')).sort()).toEqual(names)
  for (const name of names) {
    expect(readFileSync(join(folder, 'gen', name), 'utf8')).toBe(readFileSync(join(fresh, 'gen', name), 'utf8'))
  }
})
