/** `sluice streamnet node`: a development node in memory, for tests in any language. */

import { print, readOptions, UsageError } from './command.ts'
import { startNode } from './testing.ts'

const usage = `Usage: sluice streamnet node [OPTION ...]

Runs a development node in memory on 127.0.0.1 until it is ended by SIGINT or SIGTERM. Its wallets have public keys.

  --port NUMBER      0, when left out, for any free one
  --profile NAME     head, when left out: the network of today; or seed
  --seed             start with three providers, a year of prices and markets
  --now MS           Unix milliseconds at which its clock begins, moved by dev.increaseTime; without it the clock is that of this machine
  --json             print one line of JSON: endpoint, operator_endpoint, chain_id, wallets
`

const options = {
  port: { type: 'string', default: '0' },
  profile: { type: 'string', default: 'head' },
  seed: { type: 'boolean', default: false },
  now: { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

/** Runs the command until a signal ends it. @throws UsageError when the command line is wrong. */
export async function runNode(args: readonly string[]): Promise<void> {
  const { json, help, ...given } = readOptions('Cannot start a node', { args: [...args], options })
  if (help) return print(usage)
  const node = await startNode({
    port: readNumber('port', given.port, 65_535),
    profile: readProfile(given.profile),
    seed: given.seed,
    nowMs: given.now === undefined ? undefined : readNumber('now', given.now, Number.MAX_SAFE_INTEGER),
  }).catch((error: Error) => {
    throw new UsageError(error.message, { cause: error })
  })
  const { endpoint, operatorEndpoint, chainId, wallets } = node
  const described = { endpoint, operator_endpoint: operatorEndpoint, chain_id: chainId, wallets }
  const lines = wallets.map(({ key, address }) => `  ${address}  key ${key}\n`)
  const text = `The node answers at ${endpoint}, its operator's port at ${operatorEndpoint}\n${lines.join('')}`
  print(json ? `${JSON.stringify(described)}\n` : text)
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })
  await node.stop()
}

function readNumber(name: string, text: string, most: number): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && value <= most) return value
  throw new UsageError(`Cannot start a node: --${name} is "${text}", expected a whole number from 0 to ${most}`)
}

function readProfile(text: string): 'seed' | 'head' {
  if (text === 'seed' || text === 'head') return text
  throw new UsageError(`Cannot start a node: --profile is "${text}", expected seed or head`)
}
