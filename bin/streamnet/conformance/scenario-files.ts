/** The scenarios that come with the project. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../project.ts'

const folder = join(projectRoot, 'bin/streamnet/conformance/scenarios')

/** Names and texts of the files, in the order of their names. */
export function scenarioFiles(): readonly { readonly name: string; readonly text: string }[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }))
}
