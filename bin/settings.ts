/**
 * `npm run settings`: writes `docs/settings.md` and `.dev.vars.example` from the tables of settings, and the version of
 * package.json into `src/base/version.ts`; `npm version` runs it.
 */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from './project.ts'
import { replaceFile } from './run/replace-file.mjs'
import { devVarsExample, settingsPage } from './settings/page.ts'

const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'))
const versionFile = join(projectRoot, 'src/base/version.ts')
const versionText = readFileSync(versionFile, 'utf8')
replaceFile(versionFile, versionText.replace(/^(export const version = ').*'$/m, `$1${version}'`))
replaceFile(join(projectRoot, 'docs/settings.md'), settingsPage())
replaceFile(join(projectRoot, '.dev.vars.example'), devVarsExample())
