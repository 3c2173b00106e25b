#!/usr/bin/env node
/** The command `sluice`: in the installed package its bundle, in a clone its sources by way of `run.mjs`. */

import { existsSync } from 'node:fs'

const bundle = new URL('../dist/command/sluice.js', import.meta.url)
const sources = new URL('./run.mjs', import.meta.url)

if (existsSync(sources)) {
  process.argv.splice(2, 0, 'sluice')
  await import(sources.href)
} else {
  await import(bundle.href)
}
