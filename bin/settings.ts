/** `npm run settings`: writes `docs/settings.md` and `.dev.vars.example` from the tables of settings. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from './project.ts'
import { devVarsExample, settingsPage } from './settings/page.ts'

writeFileSync(join(projectRoot, 'docs/settings.md'), settingsPage())
writeFileSync(join(projectRoot, '.dev.vars.example'), devVarsExample())
