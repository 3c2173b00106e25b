/** The bodies of the operator plane: what each may hold, as it is checked and as the OpenAPI document says it. */

import { isRecord, type Schema } from '#base/json.ts'
import { encodeUtf8 } from '#base/utf8.ts'
import type { ConfigFile } from '#ratelimit/config/compile.ts'
import { mostSetBytes } from '#ratelimit/config/set-bounds.ts'
import { RatelimitError } from '#ratelimit/errors.ts'
import { listNames } from '#ratelimit/lists/lists.ts'
import { listBounds } from '#ratelimit/lists/read-listings.ts'
import { readText } from '../edge/body.ts'

/** Bytes of one configuration file; a row of the platform's database holds no more than twice that. */
export const fileBytes = 1_000_000
/** Characters of a file's key, which error texts repeat. */
const maxKeyLength = 512

/** The JSON Schema of what `parseKey()` takes. */
export const fileKeySchema = {
  type: 'string',
  minLength: 1,
  maxLength: maxKeyLength,
  pattern: '^[^/\\u0000-\\u001f]+$',
} as const satisfies Schema

/** The JSON Schema of what `readFiles()` takes. */
export const filesSchema: Schema = {
  type: 'object',
  required: ['files'],
  additionalProperties: false,
  properties: {
    revision: { type: 'integer', description: 'Ignored: the answer of GET /config/files is a body as it is.' },
    files: {
      oneOf: [
        {
          type: 'object',
          description: 'The text of every file by its runtime key.',
          propertyNames: fileKeySchema,
          additionalProperties: { type: 'string', maxLength: fileBytes },
        },
        {
          type: 'array',
          description: 'The files as GET /config/files answers them.',
          items: {
            type: 'object',
            required: ['key', 'text'],
            properties: { key: fileKeySchema, text: { type: 'string', maxLength: fileBytes } },
          },
        },
      ],
    },
  },
}

const listText = { type: 'string', minLength: 1, maxLength: listBounds.text } as const

/** Reads the files of a set, or throws what is wrong with the body. What `GET /config/files` answers is one, too. */
export async function readFiles(request: Request): Promise<readonly ConfigFile[]> {
  const right = '{"files": {KEY: TEXT}}'
  const body = parseJson(
    await readBody(request, mostSetBytes),
    `${right}; one file as it is goes to PUT /config/files/KEY`,
  )
  const files = requireMember(body, 'files', { action: 'Cannot read files', right, ignored: 'revision' })
  return listEntries(files, right).map(([key, text]) => {
    if (typeof text !== 'string')
      throw malformed(`Cannot read files: ${JSON.stringify(key)} is not text, expected ${right}`)
    if (encodeUtf8(text).length > fileBytes) {
      const message = `Cannot read files: ${JSON.stringify(key.slice(0, 80))} is longer than ${fileBytes} bytes`
      throw new RatelimitError('request_too_large', message)
    }
    return { key: parseKey(key), text }
  })
}

/** The key and the text of every file, from an object or from a list as the answers have it. */
function listEntries(files: unknown, right: string): readonly (readonly [key: string, text: unknown])[] {
  if (isRecord(files)) return Object.entries(files)
  if (!Array.isArray(files)) throw malformed(`Cannot read files: files is not an object, expected ${right}`)
  const keys = new Set<string>()
  return files.map((file: unknown, at) => {
    if (!isRecord(file) || typeof file.key !== 'string')
      throw malformed(`Cannot read files: file ${at + 1} has no key, expected {"key": KEY, "text": TEXT}`)
    if (keys.has(file.key))
      throw malformed(`Cannot read files: ${JSON.stringify(file.key.slice(0, 80))} comes twice, expected once`)
    keys.add(file.key)
    return [file.key, file.text] as const
  })
}

/** The JSON Schema of what `readRevision()` takes. */
export const revisionSchema: Schema = {
  type: 'object',
  required: ['revision'],
  additionalProperties: false,
  properties: { revision: { type: 'integer', description: 'The number of a kept revision.' } },
}

/** The JSON Schema of what `readListings()` takes. */
export const listingsSchema: Schema = {
  type: 'object',
  required: ['listings'],
  additionalProperties: false,
  properties: {
    version: { type: 'integer', description: 'Ignored.' },
    listings: {
      type: 'array',
      maxItems: listBounds.sent,
      items: {
        type: 'object',
        required: ['list', 'domain', 'key'],
        additionalProperties: false,
        properties: {
          list: { type: 'string', enum: [...listNames] },
          domain: listText,
          key: listText,
          value: { ...listText, description: 'The whole value of an entry; or there is a cidr.' },
          cidr: { ...listText, description: 'A network that holds the address in an entry; or there is a value.' },
          seconds: {
            type: 'integer',
            minimum: 0,
            maximum: listBounds.seconds,
            description: 'How long it applies, for good when absent; 0 takes it away.',
          },
          reason: { type: 'string', minLength: 1, maxLength: listBounds.reason },
        },
      },
    },
  },
}

/** Reads the number of a revision, or throws what is wrong with the body. */
export async function readRevision(request: Request): Promise<number> {
  const right = '{"revision": NUMBER}'
  const body = parseJson(await readBody(request, 1_000), right)
  const revision = requireMember(body, 'revision', { action: 'Cannot roll back', right })
  if (typeof revision === 'number' && Number.isSafeInteger(revision)) return revision
  throw malformed(`Cannot roll back: revision is ${JSON.stringify(revision)?.slice(0, 40)}, expected ${right}`)
}

/** Reads a body of an operator, or throws what is wrong with it. */
export async function readBody(request: Request, maxBytes: number): Promise<string> {
  const body = await readText(request, maxBytes)
  if ('text' in body) return body.text
  throw body.fault === 'too_large'
    ? new RatelimitError('request_too_large', `Cannot read the body: it is longer than ${maxBytes} bytes`)
    : malformed('Cannot read the body: it is not UTF-8')
}

/** Parses a body, or throws what would be right. */
export function parseJson(text: string, right: string): unknown {
  if (text.trim() === '') throw malformed(`Cannot read the body: it is empty, expected ${right}`)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw malformed(`Cannot read the body: it is not JSON, expected ${right}`, error)
  }
}

/** The form of a body with one member, for the message of a mistake. */
interface MemberForm {
  readonly action: string
  readonly right: string
  /** A member that may be there, and is not read. */
  readonly ignored?: string
}

/** Reads the one member of a body; any other is a mistake, but for one that is ignored. */
function requireMember(body: unknown, name: string, { action, right, ignored }: MemberForm): unknown {
  if (!isRecord(body)) throw malformed(`${action}: the body is not an object, expected ${right}`)
  const other = Object.keys(body).find((key) => key !== name && key !== ignored)
  const shown = JSON.stringify(other?.slice(0, 40))
  if (other !== undefined) throw malformed(`${action}: the body has an unknown member ${shown}, expected ${right}`)
  if (!Object.hasOwn(body, name)) throw malformed(`${action}: the body has no ${name}, expected ${right}`)
  return body[name]
}

/** Reads the key of a file, or throws what would be one. */
export function parseKey(key: string): string {
  if (key !== '' && key.length <= maxKeyLength && [...key].every((character) => character >= ' ' && character !== '/'))
    return key
  throw malformed(
    `Cannot read files: the key ${JSON.stringify(key.slice(0, 80))} is not a runtime key, expected 1 to ${maxKeyLength} characters without "/", such as "config.shop.yaml"`,
  )
}

function malformed(message: string, cause?: unknown): RatelimitError {
  return new RatelimitError('malformed_request', message, { cause })
}
