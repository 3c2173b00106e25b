/** `npm run types`: checks the types of every folder, each with its own compiler settings. */

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { projectRoot } from './project.ts'

const compiler = join(projectRoot, 'node_modules/.bin/tsc')
const folders = ['src', 'proto-json', 'console', 'test', 'test/durable-objects']
const failed = folders.filter(
  (folder) => spawnSync(compiler, ['-p', join(projectRoot, folder)], { stdio: 'inherit' }).status !== 0,
)
process.exitCode = failed.length === 0 ? 0 : 1
