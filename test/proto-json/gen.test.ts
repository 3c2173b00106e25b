import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { projectRoot } from '#bin/project.ts'

const folder = join(projectRoot, 'proto-json')
const bin = (name: string) => join(projectRoot, 'node_modules/.bin', name)

it('proto-json/gen is what the .proto files generate', () => {
  const fresh = mkdtempSync(join(tmpdir(), 'gen-'))
  try {
    execFileSync(bin('buf'), ['generate', '--output', fresh], { cwd: folder, stdio: 'pipe' })
    const names = readdirSync(join(fresh, 'gen')).sort()
    expect(readdirSync(join(folder, 'gen')).sort()).toEqual(names)
    for (const name of names) {
      expect(readFileSync(join(folder, 'gen', name), 'utf8')).toBe(readFileSync(join(fresh, 'gen', name), 'utf8'))
    }
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
})
