/** `node bin/run.mjs streamnet`: any operation of the stream network by its exact name. */

import { messageOf } from '#base/errors.ts'
import { nearest } from '#base/nearest.ts'
import { toJson } from '#gateway/json.ts'
import { catalogueTable, describeParameter } from '#streamnet/catalogue/describe.ts'
import type { CatalogueEntry } from '#streamnet/catalogue/entry.ts'
import { type LocalEntry, localCatalogue } from '#streamnet/catalogue/local-streams.ts'
import { withForce } from '#streamnet/catalogue/slips.ts'
import { catalogue, findOperation } from '#streamnet/catalogue.ts'
import { isStreamNetError, LocalClient, NetClient, setStreamName } from '#streamnet/index.ts'
import { ScenarioError } from '#test/support/conformance/scenario.ts'
import { readParameters } from './streamnet/arguments.ts'
import { print, UsageError } from './streamnet/command.ts'
import { conformance } from './streamnet/conformance.ts'
import { readBook, readNames, withNames, withPlaces } from './streamnet/names.ts'
import { runNode } from './streamnet/node.ts'

const usage = `Usage: sluice streamnet OPERATION [--PARAMETER VALUE ...]

  local.OPERATION      one of a node's own streams, at its admin server
  node                 run a development node in memory, see node --help
  conformance          play recorded scenarios against a node, see conformance --help
  names                print every stream that has a name
  set_name             name an own stream, with --stream_id and --name
  OPERATION --help     print the operation's parameters
  --list               print every operation
  --markdown           print every operation as a table

  --endpoint URL       the node or gateway; or the environment variable STREAMNET_ENDPOINT
  --json               print one JSON value, errors too
  --stream NAME        the stream of a name, in the place of --stream_id and --data_provider
  --names              print a name beside each stream and wallet that has one
  --book FILE          further names, a JSON object by OWNER/STREAM or by address; --data_provider @TAG is a wallet
  --force              take a record's date in the far future, which may be milliseconds, and an empty name

Lists and records are JSON, bytes are hex. The private key comes from the environment variable
STREAMNET_PRIVATE_KEY and from nowhere else; without it nothing can be written. Exit code 0: done; 1: the
operation failed; 2: the command line is wrong.
`

try {
  await run(process.argv.slice(2))
} catch (error) {
  process.exitCode = report(error, process.argv.includes('--json'))
}

async function run(args: readonly string[]): Promise<void> {
  const [name] = args
  if (name === undefined || name === '--help') return print(usage)
  if (name === 'conformance') return conformance(args.slice(1))
  if (name === 'node') return runNode(args.slice(1))
  if (name === '--list') return print(listOperations())
  if (name === '--markdown') return print(`${catalogueTable(catalogue)}\n`)
  if (name === 'names' || name === 'set_name')
    return args.includes('--help') ? print(usage) : runNames(name, readPairs(args.slice(1)))
  const found = findOperation(name) ?? localCatalogue.find((local) => name === `local.${local.name}`)
  if (!found) throw new UsageError(`Cannot run "${name}": there is no such operation, ${nearOperation(name)}`)
  const entry = withForce<CatalogueEntry | LocalEntry>(found)
  return args.includes('--help') ? print(describe(entry)) : runOperation(entry, readPairs(args.slice(1)))
}

async function runOperation(entry: CatalogueEntry | LocalEntry, options: Options): Promise<void> {
  const { pairs, isJson, endpoint, book, hasNames } = options
  const kept = readBook(book)
  const needsNames = hasNames || pairs.has('stream')
  const names = needsNames ? await readNames(connectToRead(endpoint), kept) : kept
  const params = readParameters(entry, withPlaces(entry, pairs, names))
  const result = await perform(entry, endpoint, params)
  return print(`${show(hasNames ? withNames(result, names) : result, isJson)}\n`)
}

/** Lists names, or gives one: the metadata of streams keep them, and operations have no form for them. */
async function runNames(command: 'names' | 'set_name', { pairs, isJson, endpoint, book }: Options): Promise<void> {
  if (command === 'names') {
    const { streams } = await readNames(connectToRead(endpoint), readBook(book))
    return print(`${show(streams, isJson)}\n`)
  }
  const [streamId, name] = [pairs.get('stream_id'), pairs.get('name')]
  if (streamId === undefined || name === undefined) {
    throw new UsageError('Cannot name a stream: expected --stream_id and --name')
  }
  const client = connect({ name: command, kind: 'execute' }, endpoint)
  return print(`${show(await setStreamName(client, { streamId, name }), isJson)}\n`)
}

function connectToRead(endpoint: string | undefined): NetClient {
  return connect({ name: 'names', kind: 'view' }, endpoint)
}

function nearOperation(name: string): string {
  const names = [
    'conformance',
    'names',
    'node',
    'set_name',
    ...catalogue.map((entry) => entry.name),
    ...localCatalogue.map((entry) => `local.${entry.name}`),
  ]
  const near = nearest(name, names)
  return near === undefined ? 'see --list' : `perhaps ${near}`
}

// Every operation takes one object, or nothing; its members were read by the entry's types.
type Operation = (params: object) => unknown

function perform(entry: CatalogueEntry | LocalEntry, endpoint: string | undefined, params: object): unknown {
  if (!isLocal(entry)) return (connect(entry, endpoint)[entry.operation] as Operation)(params)
  const client = new LocalClient(requireEndpoint(endpoint), process.env.STREAMNET_PRIVATE_KEY || undefined)
  return (client[entry.operation] as Operation).call(client, params)
}

function isLocal(entry: CatalogueEntry | LocalEntry): entry is LocalEntry {
  return entry.action?.startsWith('local.') ?? false
}

function requireEndpoint(endpoint = process.env.STREAMNET_ENDPOINT || undefined): string {
  if (endpoint === undefined) throw new UsageError('Cannot reach a node: give --endpoint or set STREAMNET_ENDPOINT')
  return endpoint
}

function listOperations(): string {
  const lines = [...catalogue, ...localCatalogue].map((entry) => [
    isLocal(entry) ? `local.${entry.name}` : entry.name,
    entry.about,
  ])
  return lines.map(([name = '', about]) => `${name.padEnd(36)} ${about}\n`).join('')
}

function connect({ name, kind }: Pick<CatalogueEntry, 'name' | 'kind'>, endpoint: string | undefined): NetClient {
  if (kind === 'execute' && !process.env.STREAMNET_PRIVATE_KEY)
    throw new UsageError(`Cannot run ${name}: STREAMNET_PRIVATE_KEY is not set, expected the key that signs`)
  const url = kind === 'local' ? 'http://localhost' : requireEndpoint(endpoint)
  return new NetClient(url, process.env.STREAMNET_PRIVATE_KEY || undefined)
}

type Options = ReturnType<typeof readPairs>

function readPairs(args: readonly string[]) {
  const pairs = new Map<string, string>()
  const rest = [...args]
  const flags = new Set<string>()
  let endpoint: string | undefined
  let book: string | undefined
  for (let option = rest.shift(); option !== undefined; option = rest.shift()) {
    if (option === '--json' || option === '--names') {
      flags.add(option)
      continue
    }
    const [, name, inline] = /^--([a-z][\w-]*)(?:=(.*))?$/s.exec(option) ?? []
    const value = inline ?? (option === '--force' && !isFlagValue(rest[0]) ? 'true' : rest.shift())
    if (name === undefined) throw new UsageError('Cannot read the command line: expected --PARAMETER VALUE')
    if (/key/.test(name)) throw new UsageError('Cannot take a key here: set STREAMNET_PRIVATE_KEY')
    if (value === undefined) throw new UsageError(`Cannot read "--${name}": a value is missing`)
    if (name === 'endpoint') endpoint = value
    else if (name === 'book') book = value
    else pairs.set(name.replaceAll('-', '_'), value)
  }
  return { pairs, isJson: flags.has('--json'), hasNames: flags.has('--names'), endpoint, book }
}

/** Tells whether text is the value of the option before it, which needs none. */
function isFlagValue(text: string | undefined): boolean {
  return text === 'true' || text === 'false'
}

function describe({ name, about, kind, parameters }: CatalogueEntry | LocalEntry): string {
  const lines = parameters.map((parameter) => `  --${describeParameter(parameter)}\n      ${parameter.about}\n`)
  return `${name} (${kind})\n${about}\n\n${lines.join('')}`
}

function show(value: unknown, isJson: boolean): string {
  if (!isJson && typeof value === 'string') return value
  return JSON.stringify(toJson(value), null, isJson ? undefined : 2)
}

function report(error: unknown, isJson: boolean): number {
  const isOurs = error instanceof UsageError || error instanceof ScenarioError || isStreamNetError(error)
  const message = messageOf(error)
  const code = isStreamNetError(error) ? error.code : error instanceof ScenarioError ? 'scenario' : 'usage'
  if (!isOurs) throw error
  const hint = isStreamNetError(error) ? error.hint : undefined
  const text = hint === undefined ? message : `${message}\n${hint}`
  console.error(isJson ? JSON.stringify({ error: code, message, ...(hint !== undefined && { hint }) }) : text)
  return error instanceof UsageError ? 2 : 1
}
