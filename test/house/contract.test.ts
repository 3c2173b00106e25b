import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { writeScenarios } from '#bin/contract/scenarios.ts'
import { writeSchemas } from '#bin/contract/schemas.ts'
import { projectRoot } from '#bin/project.ts'

describe('schemas.json', () => {
  it.each(Object.entries({ ...writeSchemas(), ...writeScenarios() }))(
    '%s is what npm run contract writes',
    (path, text) => {
      expect(readFileSync(join(projectRoot, path), 'utf8')).toBe(text)
    },
  )
})
