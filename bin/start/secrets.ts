/** The secrets of a local deployment: made at the first start, kept in a file that only its owner can read. */

import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRecord, parseJson } from '#base/json.ts'
import { isStrongToken, weakToken } from '#base/variables.ts'
import { replaceFile } from '../run/replace-file.mjs'

/** Random bytes of each secret: tokens of 128 bits, and the key that signs for the stream gateway. */
const lengths = { ADMIN_TOKEN: 16, GRID_TOKEN: 16, STREAMNET_TOKEN: 16, STREAMNET_PRIVATE_KEY: 32 } as const

/** The name of a secret binding. */
export type SecretName = keyof typeof lengths

/** Every secret by name, and the tokens that have just been made and are to be shown; a private key never is. */
export interface Secrets {
  readonly values: Readonly<Record<SecretName, string>>
  readonly made: readonly SecretName[]
  readonly file: string
}

/** Reads the secrets from `secrets.json` in a folder; makes those that are missing. */
export function loadSecrets(folder: string): Secrets {
  const file = join(folder, 'secrets.json')
  const kept = readKept(file)
  assertUsable(kept, file)
  // The names of the table above.
  const names = Object.keys(lengths) as SecretName[]
  const secrets = names.map((name) => [name, kept[name] ?? randomBytes(lengths[name]).toString('hex')])
  // Every one of those names has its value.
  const values = Object.fromEntries(secrets) as Secrets['values']
  const isComplete = names.every((name) => name in kept)
  const made = tokenNames.filter((name) => kept[name] === undefined)
  if (!isComplete) replaceFile(file, `${JSON.stringify(values, null, 2)}\n`, { mode: 0o600 })
  return { values, made, file }
}

/** Checks the secrets that a folder keeps; makes none. */
export function assertSecrets(folder: string): void {
  const file = join(folder, 'secrets.json')
  assertUsable(readKept(file), file)
}

/** The names of the secrets that a folder keeps; none where they cannot be read. */
export function keptSecretNames(folder: string): ReadonlySet<string> {
  try {
    return new Set(Object.keys(readKept(join(folder, 'secrets.json'))))
  } catch {
    return new Set()
  }
}

function readKept(file: string): Readonly<Partial<Record<string, string>>> {
  if (!existsSync(file)) return {}
  // The error of JSON.parse would show a part of the text, which may be a secret.
  const kept = parseJson(readText(file))
  if (isTexts(kept)) return kept
  throw new Error(
    `Cannot read secrets: ${file} is not a JSON object of texts; expected one, or no file, so that a start makes new secrets`,
  )
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : cause
    throw new Error(`Cannot read secrets: ${file} is not readable (${code}), expected a file of this user`, { cause })
  }
}

/** A person may have written the file. */
function assertUsable(kept: Readonly<Partial<Record<string, string>>>, file: string): void {
  for (const name of tokenNames) {
    const token = kept[name]
    if (token !== undefined && !isStrongToken(token))
      throw new Error(`Cannot use secrets of ${file}: ${weakToken(name)}`)
  }
  const key = kept.STREAMNET_PRIVATE_KEY
  if (key !== undefined && !/^(0x)?[0-9a-f]{64}$/i.test(key))
    throw new Error(`Cannot use secrets of ${file}: STREAMNET_PRIVATE_KEY is not a private key, expected 64 hex digits`)
}

function isTexts(value: unknown): value is Readonly<Record<string, string>> {
  return isRecord(value) && Object.values(value).every((one) => typeof one === 'string')
}

/** Checks that a variable is a secret that the first start makes. */
export function isMadeSecret(name: string): boolean {
  return Object.hasOwn(lengths, name)
}

/** The secrets that callers send, as tokens. */
export const tokenNames: readonly SecretName[] = ['ADMIN_TOKEN', 'GRID_TOKEN', 'STREAMNET_TOKEN']
