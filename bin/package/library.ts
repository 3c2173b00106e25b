/** The library's own manifest, with the version, the engines and the dependencies of the project. */

import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import { projectRoot } from '../project.ts'
import { replaceFile } from '../run/replace-file.mjs'
import library from './library.json' with { type: 'json' }

/** Writes what `npm pack ./dist/library` needs beside the code, such as the configuration of a service. */
export function describeLibrary(): void {
  const folder = join(projectRoot, 'dist/library')
  const { version, license, type, engines, dependencies } = manifest
  // The workflow that publishes adds the address of the repository that it runs in.
  const place = 'repository' in manifest ? { repository: manifest.repository } : {}
  const described = { ...library, ...place, version, license, type, engines, dependencies }
  replaceFile(join(folder, 'package.json'), `${JSON.stringify(described, null, 2)}\n`)
  copyFileSync(join(projectRoot, 'bin/package/library.md'), join(folder, 'README.md'))
  copyFileSync(join(projectRoot, 'bin/package/service.toml'), join(folder, 'wrangler.toml'))
  copyFileSync(join(projectRoot, 'LICENSE'), join(folder, 'LICENSE'))
}
