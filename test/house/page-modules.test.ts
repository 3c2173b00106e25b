import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bundlePageModule, type PageModule, pageModules } from '#bin/bundle-pages.ts'
import { projectRoot } from '#bin/project.ts'

// The keys of the table itself.
const modules = Object.keys(pageModules) as PageModule[]

describe('every module in public/lib', () => {
  it.each(modules)('%s is what its source gives (else: npm run build)', async (module) => {
    expect(readFileSync(join(projectRoot, module), 'utf8')).toBe(await bundlePageModule(module))
  })
})
