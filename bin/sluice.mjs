#!/usr/bin/env node
/** The command `sluice`: in the installed package its bundle, in a clone its sources by way of `run.mjs`. */

import { existsSync } from 'node:fs'

// An older Node fails much later, with errors that name neither it nor its version.
const [major = 0, minor = 0] = process.version.slice(1).split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Cannot run sluice: this is Node ${process.version}, expected 20.19 or later`)
  process.exit(1)
}

const bundle = new URL('../dist/command/sluice.js', import.meta.url)
const sources = new URL('./run.mjs', import.meta.url)

if (existsSync(sources)) {
  process.argv.splice(2, 0, 'sluice')
  await import(sources.href)
} else {
  await import(bundle.href)
}
