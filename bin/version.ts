/** The `version` script of `npm version`: copies the version of package.json into `src/base/version.ts`. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from './project.ts'
import { replaceFile } from './replace-file.ts'

const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'))
const file = join(projectRoot, 'src/base/version.ts')
replaceFile(file, readFileSync(file, 'utf8').replace(/^(export const version = ').*'$/m, `$1${version}'`))
