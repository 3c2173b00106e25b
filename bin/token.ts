/** `sluice token`: the tokens of a state folder, for a shell or one by one, and new ones. */

import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { nearest } from '#base/nearest.ts'
import { runTool } from './command-line.ts'
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
} as const

const action = 'Cannot print a token'

await runTool({ action, usage, options, hasWords: true }, ({ new: isNew, persist, shell }, [name, ...others]) => {
  if (isNew) return console.log(randomBytes(16).toString('hex'))
  if (others.length > 0) throw new Error(`${action}: ${others.length + 1} names are given, expected one`)
  const tokens = readTokens(persist ?? (process.env.SLUICE_STATE || '.sluice'))
  if (name !== undefined) return console.log(tokens[parseName(name)])
  for (const one of tokenNames) console.log(`${shell ? 'export ' : ''}${one}=${tokens[one]}`)
})

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
