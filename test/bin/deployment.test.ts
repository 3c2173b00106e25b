/** What a start and the package read of `wrangler.toml`. */

import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { prepareDeployment } from '#bin/deployment.ts'
import { projectRoot } from '#bin/project.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-deployment-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('prepareDeployment()', () => {
  it('has nothing of .dev.vars and .env, which are for wrangler dev and may hold secrets', () => {
    copyFileSync(join(projectRoot, 'wrangler.toml'), join(folder, 'wrangler.toml'))
    mkdirSync(join(folder, 'public'))
    const before = prepareDeployment('index', folder)
    expect(JSON.parse(before)).toMatchObject({ durableObjects: { COUNTER: {} }, bindings: {} })
    for (const name of ['.env', '.dev.vars']) {
      writeFileSync(join(folder, name), 'GRID_TOKEN=not-for-the-package\n')
      expect(prepareDeployment('index', folder)).toBe(before)
      expect(prepareDeployment('grid', folder)).not.toContain('not-for-the-package')
    }
  })
})
