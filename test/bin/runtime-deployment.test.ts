/** The part of `wrangler.toml` that a start and the package read. */

import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { projectRoot } from '#bin/project.ts'
import { deploymentText } from '#bin/runtime/deployment.ts'
import { makeFolder } from '../support/folder.ts'

const folder = makeFolder()

describe('deploymentText()', () => {
  it('has nothing of .dev.vars and .env, which are for wrangler dev and may hold secrets', () => {
    copyFileSync(join(projectRoot, 'wrangler.toml'), join(folder, 'wrangler.toml'))
    mkdirSync(join(folder, 'public'))
    const before = deploymentText('index', folder)
    expect(JSON.parse(before)).toMatchObject({
      objects: expect.arrayContaining([{ binding: 'COUNTER', className: 'CounterObject' }]),
    })
    for (const name of ['.env', '.dev.vars']) {
      writeFileSync(join(folder, name), 'GRID_TOKEN=not-for-the-package\n')
      expect(deploymentText('index', folder)).toBe(before)
      expect(deploymentText('grid', folder)).not.toContain('not-for-the-package')
    }
  })
})
