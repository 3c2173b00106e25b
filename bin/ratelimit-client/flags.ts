/** The command line of the rate limit client, read as Go's `flag` package reads it. */

import type { Descriptor } from '#ratelimit/types.ts'

/** Options of the command line. */
export interface ClientFlags {
  /** Address of the gRPC service, as `host:port`. */
  readonly dialString: string
  readonly domain: string
  readonly descriptors: readonly Descriptor[]
  /** Accepted for the reference's scripts; nothing is traced. */
  readonly oltpProtocol: string
  /** Sent as `Authorization: Bearer`; empty for none. */
  readonly token: string
  readonly useTls: boolean
  readonly serverCaFile: string
  readonly certFile: string
  readonly keyFile: string
  /** Address to ask in JSON instead; empty for gRPC. */
  readonly jsonUrl: string
  /** Hits to add, 0 to 2^32 - 1; 0 means 1, as in the protocol. */
  readonly hits: number
  /** Number of questions, one after the other. */
  readonly repeat: number
}

/** A command line that cannot be read; `message` is one line for standard error, and the exit code is 2. */
export interface FlagMistake {
  readonly message: string
}

interface Flag {
  readonly usage: string
  readonly fallback: string
  readonly isBoolean?: boolean
  /** True when the value must never be shown. */
  readonly isSecret?: boolean
  /** Finds the mistake of a value, or null. */
  readonly mistake?: (value: string) => string | null
}

const truths = ['1', 't', 'T', 'true', 'TRUE', 'True']
const falsehoods = ['0', 'f', 'F', 'false', 'FALSE', 'False']

const wholeNumber = (most: number) => (value: string) =>
  /^\d{1,10}$/.test(value) && Number(value) <= most ? null : `expected a whole number up to ${most}`

/** Every flag by name, in the order of the alphabet, in which they are printed. */
const flags: Readonly<Record<string, Flag>> = {
  descriptors: {
    usage: 'descriptor to query in <key>=<value>,<key>=<value>,... form; may be repeated',
    fallback: '',
    mistake: (value) => (parseDescriptor(value) === null ? 'invalid descriptor list' : null),
  },
  dial_string: { usage: 'address of the gRPC service in <host>:<port> form', fallback: 'localhost:8081' },
  domain: { usage: 'domain to query', fallback: '' },
  'grpc-cert-file': { usage: 'client certificate for TLS', fallback: '' },
  'grpc-key-file': { usage: 'client key for TLS', fallback: '' },
  'grpc-server-ca-file': { usage: 'authority of the server certificate for TLS', fallback: '' },
  'grpc-use-tls': {
    usage: 'speak TLS to the server',
    fallback: 'false',
    isBoolean: true,
    mistake: (value) => (truths.includes(value) || falsehoods.includes(value) ? null : 'expected true or false'),
  },
  hits: { usage: 'hits to add', fallback: '1', mistake: wholeNumber(4_294_967_295) },
  json: {
    usage: 'ask this HTTP address in JSON instead of gRPC; /json is added to a bare origin',
    fallback: '',
  },
  'oltp-protocol': { usage: 'accepted and ignored: nothing is traced', fallback: '' },
  repeat: {
    usage: 'ask so many times, one after the other',
    fallback: '1',
    mistake: wholeNumber(1_000_000_000),
  },
  token: {
    usage: 'one of the CALLER_TOKENS of the service; RATELIMIT_TOKEN of the environment where it is not given',
    fallback: '',
    isSecret: true,
    mistake: (value) => (/^[\x21-\x7e]+$/.test(value) ? null : 'expected letters, digits and -._~+/='),
  },
}

/** Flags that the reference's client does not have; they are listed only when they are given. */
const ownFlags = new Set(['hits', 'json', 'repeat'])

/** The variable of the token, for when the flag is not given: other users of the machine can read a command line. */
const tokenVariable = 'RATELIMIT_TOKEN'

/** The text of `-help`. */
export const usage = [
  'Usage: sluice ratelimit ask [FLAG ...]',
  '',
  ...Object.entries(flags).map(
    ([name, { usage: text, fallback }]) =>
      `  -${name}\n        ${text}${fallback === '' ? '' : ` (default ${fallback})`}`,
  ),
  '',
  'Exit code 0: answered, allowed or refused; 1: no answer; 2: the command line makes no sense.',
  '',
].join('\n')

/**
 * Reads the command line: one or two dashes, `-name value` or `-name=value`; a boolean flag without a value is true.
 * The first argument that is not a flag ends it, and what follows is ignored.
 *
 * @param environment - read for RATELIMIT_TOKEN.
 * @returns `help` when that was asked for.
 */
export function parseFlags(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>> = {},
): ClientFlags | FlagMistake | 'help' {
  const given = new Map<string, readonly string[]>()
  const rest = [...args]
  for (let argument = rest.shift(); argument !== undefined; argument = rest.shift()) {
    const match = /^--?([^-=][^=]*)(?:=([\s\S]*))?$/.exec(argument)
    if (match === null) break
    const [, name = '', attached] = match
    if (name === 'help' || name === 'h') return 'help'
    const read = readFlag(name, attached, rest)
    if (typeof read !== 'string') return read
    given.set(name, [...(given.get(name) ?? []), read])
  }
  const token = environment[tokenVariable] ?? ''
  const mistake = token === '' ? null : (flags.token?.mistake?.(token) ?? null)
  return mistake === null ? toFlags(given, token) : { message: `invalid ${tokenVariable}: ${mistake}` }
}

/** Reads the value of a flag: what is attached to its name, else the next argument, which is taken off the rest. */
function readFlag(name: string, attached: string | undefined, rest: string[]): string | FlagMistake {
  const flag = Object.hasOwn(flags, name) ? flags[name] : undefined
  if (flag === undefined) return { message: `flag provided but not defined: -${name}` }
  const value = attached ?? (flag.isBoolean ? 'true' : rest.shift())
  if (value === undefined) return { message: `flag needs an argument: -${name}` }
  const mistake = flag.mistake?.(value) ?? null
  if (mistake === null) return value
  const shown = flag.isSecret === true ? '' : `"${value}" `
  return { message: `invalid value ${shown}for flag -${name}: ${mistake}` }
}

function toFlags(given: ReadonlyMap<string, readonly string[]>, token: string): ClientFlags {
  const last = (name: string) => given.get(name)?.at(-1) ?? flags[name]?.fallback ?? ''
  return {
    dialString: last('dial_string'),
    domain: last('domain'),
    descriptors: (given.get('descriptors') ?? []).flatMap((value) => parseDescriptor(value) ?? []),
    oltpProtocol: last('oltp-protocol'),
    token: given.get('token')?.at(-1) ?? token,
    useTls: truths.includes(last('grpc-use-tls')),
    serverCaFile: last('grpc-server-ca-file'),
    certFile: last('grpc-cert-file'),
    keyFile: last('grpc-key-file'),
    jsonUrl: last('json'),
    hits: Number(last('hits')),
    repeat: Number(last('repeat')),
  }
}

/** Reads `key=value,key=value`; null for anything else. A value cannot hold `=` or `,`, as in the reference. */
function parseDescriptor(text: string): Descriptor | null {
  const pairs = text.split(',').map((pair) => pair.split('='))
  if (pairs.some((parts) => parts.length !== 2)) return null
  return { entries: pairs.map(([key = '', value = '']) => ({ key, value })) }
}

/** Writes every flag but the token as `Flag: --name="value"`, as the reference does before it asks. */
export function listFlags(read: ClientFlags): readonly string[] {
  const values: Readonly<Record<string, string>> = {
    descriptors: read.descriptors.map(showDescriptor).join(''),
    dial_string: read.dialString,
    domain: read.domain,
    'grpc-cert-file': read.certFile,
    'grpc-key-file': read.keyFile,
    'grpc-server-ca-file': read.serverCaFile,
    'grpc-use-tls': String(read.useTls),
    hits: String(read.hits),
    json: read.jsonUrl,
    'oltp-protocol': read.oltpProtocol,
    repeat: String(read.repeat),
  }
  return Object.entries(values)
    .filter(([name, value]) => !ownFlags.has(name) || value !== flags[name]?.fallback)
    .map(([name, value]) => `Flag: --${name}=${JSON.stringify(value)}`)
}

function showDescriptor({ entries }: Descriptor): string {
  return `[${entries.map(({ key, value }) => ` <key=${key}, value=${value}> `).join('')}] `
}
