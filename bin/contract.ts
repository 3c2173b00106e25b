/** `npm run contract`: writes the JSON Schemas of answers, which the OpenAPI documents are made of, and of scenarios. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeScenarios } from './contract/scenarios.ts'
import { writeSchemas } from './contract/schemas.ts'
import { projectRoot } from './project.ts'

for (const [path, text] of Object.entries({ ...writeSchemas(), ...writeScenarios() })) {
  writeFileSync(join(projectRoot, path), text)
}
