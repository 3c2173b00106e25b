/** The command line of the rate limit client, read as Go's `flag` package reads it. */

import type { Descriptor } from '#ratelimit/types.ts'

/** A command line that was read. */
export interface ClientFlags {
  /** The value of every flag in its plain form: `true` for `T`, `7` for `007`. */
  readonly values: Readonly<Record<FlagName, string>>
  readonly descriptors: readonly Descriptor[]
}

/** A command line that cannot be read; `message` is one line for standard error, and the exit code is 2. */
interface FlagMistake {
  readonly message: string
}

interface Flag {
  readonly usage: string
  readonly fallback?: string
  readonly isBoolean?: boolean
  /** True when the value must never be shown. */
  readonly isSecret?: boolean
  /** Gives the plain form of a value; null for one that makes no sense. Any text is a value when absent. */
  readonly read?: (value: string) => string | null
  /** The end of the message about a value that makes no sense. */
  readonly expected?: string
}

type FlagName = keyof typeof flags

const truths = ['1', 't', 'T', 'true', 'TRUE', 'True']
const falsehoods = ['0', 'f', 'F', 'false', 'FALSE', 'False']

const wholeNumber = (most: number) => ({
  read: (value: string) => (/^\d{1,10}$/.test(value) && Number(value) <= most ? String(Number(value)) : null),
  expected: `expected a whole number up to ${most}`,
})

/** Every flag by name, in the order of the alphabet, in which they are printed. */
const flags = {
  descriptors: {
    usage: 'descriptor to query in <key>=<value>,<key>=<value>,... form; may be repeated',
    read: (value) => (parseDescriptor(value) === null ? null : value),
    expected: 'invalid descriptor list',
  },
  dial_string: { usage: 'address of the gRPC service in <host>:<port> form', fallback: 'localhost:8081' },
  domain: { usage: 'domain to query' },
  'grpc-cert-file': { usage: 'client certificate for TLS' },
  'grpc-key-file': { usage: 'client key for TLS' },
  'grpc-server-ca-file': { usage: 'authority of the server certificate for TLS' },
  'grpc-use-tls': {
    usage: 'speak TLS to the server',
    fallback: 'false',
    isBoolean: true,
    read: (value) => (truths.includes(value) ? 'true' : falsehoods.includes(value) ? 'false' : null),
    expected: 'expected true or false',
  },
  hits: { usage: 'hits to add', fallback: '1', ...wholeNumber(4_294_967_295) },
  json: { usage: 'ask this HTTP address in JSON instead of gRPC; /json is added to a bare origin' },
  'oltp-protocol': { usage: 'accepted and ignored: nothing is traced' },
  repeat: { usage: 'ask so many times, one after the other', fallback: '1', ...wholeNumber(1_000_000_000) },
  token: {
    usage: 'one of the CALLER_TOKENS of the service; RATELIMIT_TOKEN of the environment where it is not given',
    isSecret: true,
    read: (value) => (/^[\x21-\x7e]+$/.test(value) ? value : null),
    expected: 'expected letters, digits and -._~+/=',
  },
} satisfies Readonly<Record<string, Flag>>

const rows: ReadonlyMap<string, Flag> = new Map(Object.entries(flags))

/** Flags that the reference's client does not have; they are listed only when they are given. */
const ownFlags = ['hits', 'json', 'repeat']

/** The variable of the token, for when the flag is not given: other users of the machine can read a command line. */
const tokenVariable = 'RATELIMIT_TOKEN'

/** The text of `-help`. */
export const usage = [
  'Usage: sluice ratelimit ask [FLAG ...]',
  '',
  ...[...rows].map(
    ([name, { usage: text, fallback = '' }]) =>
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
  const token = environment[tokenVariable] ?? ''
  if (token !== '' && flags.token.read(token) === null)
    return { message: `invalid ${tokenVariable}: ${flags.token.expected}` }
  const fallbacks = [...rows].map(([name, { fallback = '' }]) => [name, fallback] as const)
  const values = new Map<string, string>([...fallbacks, ['token', token]])
  const descriptors: Descriptor[] = []
  const rest = [...args]
  for (let argument = rest.shift(); argument !== undefined; argument = rest.shift()) {
    const [, name, attached] = /^--?([^-=][^=]*)(?:=([\s\S]*))?$/.exec(argument) ?? []
    if (name === undefined) break
    if (name === 'help' || name === 'h') return 'help'
    const read = readFlag(name, attached, rest)
    if (typeof read !== 'string') return read
    values.set(name, read)
    const descriptor = name === 'descriptors' ? parseDescriptor(read) : null
    if (descriptor !== null) descriptors.push(descriptor)
  }
  // Every name of the table has its value.
  return { values: Object.fromEntries(values) as ClientFlags['values'], descriptors }
}

/** Reads the value of a flag: what is attached to its name, else the next argument, which is taken off the rest. */
function readFlag(name: string, attached: string | undefined, rest: string[]): string | FlagMistake {
  const flag = rows.get(name)
  if (flag === undefined) return { message: `flag provided but not defined: -${name}` }
  const value = attached ?? (flag.isBoolean ? 'true' : rest.shift())
  if (value === undefined) return { message: `flag needs an argument: -${name}` }
  const read = flag.read === undefined ? value : flag.read(value)
  const shown = flag.isSecret === true ? '' : `"${value}" `
  return read ?? { message: `invalid value ${shown}for flag -${name}: ${flag.expected}` }
}

/** Reads `key=value,key=value`; null for anything else. A value cannot hold `=` or `,`, as in the reference. */
function parseDescriptor(text: string): Descriptor | null {
  const pairs = text.split(',').map((pair) => pair.split('='))
  if (pairs.some((parts) => parts.length !== 2)) return null
  return { entries: pairs.map(([key = '', value = '']) => ({ key, value })) }
}

/** Writes every flag but the token as `Flag: --name="value"`, as the reference does before it asks. */
export function listFlags({ values, descriptors }: ClientFlags): readonly string[] {
  const shown = { ...values, descriptors: descriptors.map(showDescriptor).join('') }
  return Object.entries(shown)
    .filter(
      ([name, value]) =>
        !rows.get(name)?.isSecret && (!ownFlags.includes(name) || value !== (rows.get(name)?.fallback ?? '')),
    )
    .map(([name, value]) => `Flag: --${name}=${JSON.stringify(value)}`)
}

function showDescriptor({ entries }: Descriptor): string {
  return `[${entries.map(({ key, value }) => ` <key=${key}, value=${value}> `).join('')}] `
}
