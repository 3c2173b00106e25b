/** `sluice token`: the tokens of a state folder, for a shell or one by one, and new ones. */

import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { nearest } from '#base/nearest.ts'
import { parseCommandLine, runCommand } from './command-line.ts'
import { loadSecrets, type SecretName, tokenNames } from './start/secrets.ts'

const usage = `Usage: sluice token [NAME] [OPTION ...]

  NAME                 ADMIN_TOKEN, GRID_TOKEN or STREAMNET_TOKEN: print that token and nothing else

  --persist DIR        the state folder of a start (SLUICE_STATE, .sluice)
  --shell              print lines that a shell reads: eval "$(sluice token --shell)"
  --new                print a new random token of 128 bits and keep nothing
  --help               print this

A private key is never printed.
`

const options = {
  persist: { type: 'string' },
  shell: { type: 'boolean', default: false },
  new: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

const action = 'Cannot print a token'

await runCommand(() => process.stdout.write(run()))

function run(): string {
  const { values, positionals } = parseCommandLine(action, {
    args: process.argv.slice(2),
    options,
    allowPositionals: true,
  })
  if (values.help) return usage
  if (values.new) return `${randomBytes(16).toString('hex')}\n`
  const [name, ...others] = positionals
  if (others.length > 0) throw new Error(`${action}: ${positionals.length} names are given, expected one`)
  const tokens = readTokens(values.persist ?? (process.env.SLUICE_STATE || '.sluice'))
  if (name !== undefined) return `${tokens[parseName(name)]}\n`
  return tokenNames.map((one) => `${values.shell ? 'export ' : ''}${one}=${tokens[one]}\n`).join('')
}

function readTokens(folder: string): Readonly<Record<SecretName, string>> {
  const path = resolve(folder)
  if (!existsSync(join(path, 'secrets.json'))) {
    throw new Error(`${action}: ${path} has no secrets.json, expected the state folder of a start; --persist names it`)
  }
  return loadSecrets(path).values
}

function parseName(text: string): SecretName {
  const found = tokenNames.find((name) => name === text)
  if (found !== undefined) return found
  const near = nearest(text, tokenNames)
  throw new Error(
    `${action}: there is no token "${text.slice(0, 100)}", ${near === undefined ? `expected ${tokenNames.join(', ')}` : `perhaps ${near}`}`,
  )
}
