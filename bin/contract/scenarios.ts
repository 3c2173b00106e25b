/** The scenarios of the library as one file of values, and the JSON Schema by which editors complete scenarios. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readDocument } from '#grid/scenario/document.ts'
import { scenarioSchema } from '#grid/scenario/shape.ts'
import { projectRoot } from '../project.ts'

const folder = 'examples/grid/scenarios'

/** Writes both files: text by path from the root. */
export function writeScenarios(): Readonly<Record<string, string>> {
  const lines = readdirSync(join(projectRoot, folder))
    .filter((name) => name.endsWith('.yaml'))
    .sort()
    .map(readFile)
  return {
    'src/grid/scenario/library.json': `{\n${lines.join(',\n')}\n}\n`,
    'examples/grid/scenario.schema.json': `${JSON.stringify(scenarioSchema(), null, 2)}\n`,
  }
}

/** The line of a file: one scenario a line, by name. */
function readFile(file: string): string {
  const document = readDocument(readFileSync(join(projectRoot, folder, file), 'utf8'))
  if ('message' in document) throw new Error(`Cannot read ${folder}/${file}:${document.line}: ${document.message}`)
  return `${JSON.stringify(file.replace(/\.yaml$/, ''))}: ${JSON.stringify(document.value)}`
}
