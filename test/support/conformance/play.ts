/** Plays a scenario against a node, step by step, and collects its answers. */

import { encodeBase64 } from '#base/base64.ts'
import { concatBytes } from '#base/bytes.ts'
import { decodeHex, encodeHex } from '#base/hex.ts'
import { agentPayloadType, encodeAgentExecution } from '#streamnet/codec/agent-payload.ts'
import { hashComponents } from '#streamnet/codec/attestation.ts'
import { encodeActionCall, encodeActionExecution } from '#streamnet/codec/payload.ts'
import { dataType } from '#streamnet/codec/value.ts'
import type { ColumnType, QueryResultJson, TransactionJson } from '#streamnet/rpc/methods.ts'
import { transactionToJson } from '#streamnet/rpc/transaction-json.ts'
import { transactionMessageSync } from '#streamnet/signing/sync-signer.ts'
import type { TypedValue, UnsignedTransaction } from '#streamnet/types.ts'
import { questionComponents, type Run, toArgument, walletSigner } from './arguments.ts'
import type { NodeConnection } from './node-connection.ts'
import {
  type AgentArguments,
  type AgentStep,
  type Argument,
  type Awaited,
  type Question,
  type RepeatStep,
  type Scenario,
  ScenarioError,
  type Step,
  type TransactionStep,
  type ViewStep,
} from './scenario.ts'

/** A chain that is played on. */
export interface Chain {
  readonly node: NodeConnection
  readonly chainId: string
  /** Nonces of the last transactions, by wallet. */
  readonly nonces: Map<number, number>
  readonly run: Run
  /** Transactions of agent wallets, by their steps. */
  readonly sent: Map<number, TransactionJson>
}

/** Sends a step and gives its answer as scenarios write answers; null for a wait. */
export async function playStep(
  chain: Chain,
  index: number,
  step: Step,
  pace: NonNullable<Scenario['paces']>[number] | undefined,
): Promise<unknown> {
  switch (step[0]) {
    case 'w':
      return waitFor(chain, step[1])
    case 'v':
      return askView(chain, step)
    case 'r':
      return repeat(chain, index, step)
    case 'm':
      await keepPace(chain, index, pace)
      return executeAsWallet(chain, index, step)
    case 'x':
      await keepPace(chain, index, pace)
      return execute(chain, index, step)
  }
}

/** Sends the transaction of an agent step once more. */
async function repeat(chain: Chain, index: number, [, wallet, , first]: RepeatStep): Promise<unknown> {
  const tx = chain.sent.get(first)
  if (tx === undefined) throw new ScenarioError(`Cannot play the scenario: step ${first} has sent nothing`)
  return deliver(chain, index, wallet, tx)
}

/** Most blocks that a development node mines in one call. */
const mostMined = 1000

/** Brings the chain to a height of the recording, and gives the next block its time in seconds after the start. */
export async function moveChain({ node, run }: Chain, height: number, seconds?: number): Promise<void> {
  const missing = height - run.ahead - (await currentHeight(node))
  for (let left = missing; left > 0; left -= mostMined) {
    await node.operate('dev.mine', { blocks: Math.min(left, mostMined) })
  }
  if (seconds === undefined) return
  await node.operate('dev.setNextBlockTimestamp', { timestamp: run.start + seconds })
}

/** The height of the last block. */
export async function currentHeight(node: NodeConnection): Promise<number> {
  const info = (await must(node, 'user.chain_info', {})) as { readonly block_height: number | string }
  return Number(info.block_height)
}

/** The result of a method that every node has. @throws ScenarioError when it is refused. */
export async function must(node: NodeConnection, method: string, params: object): Promise<unknown> {
  const answer = await node.call(method, params)
  if ('result' in answer) return answer.result
  throw new ScenarioError(`Cannot play the scenario: ${method} answered "${answer.error.message}"`)
}

/** One second for each transaction, unless the recording says more. */
async function keepPace(
  chain: Chain,
  index: number,
  pace: NonNullable<Scenario['paces']>[number] | undefined,
): Promise<void> {
  if (pace === undefined) {
    await chain.node.operate('dev.setNextBlockTimestamp', { timestamp: chain.run.start + index })
    return
  }
  if (pace === null) return
  const [height, seconds] = pace
  await moveChain(chain, height - 1, seconds)
}

/** Sends a transaction and gives code and log; keeps its hash, its height and the market that it made. */
async function execute(chain: Chain, index: number, [, wallet, action, calls]: TransactionStep): Promise<unknown> {
  const { node, chainId, run } = chain
  const signer = walletSigner(wallet)
  const unsigned: UnsignedTransaction = {
    description: '',
    payload: encodeActionExecution({
      namespace: '',
      action,
      calls: calls.map((args) => args.map((one) => toArgument(one, run))),
    }),
    payloadType: 'execute',
    fee: 0n,
    nonce: nextNonce(chain, wallet),
    chainId,
    sender: signer.address,
  }
  const signature = signer.signMessage(transactionMessageSync(unsigned))
  const answer = await deliver(chain, index, wallet, transactionToJson({ ...unsigned, signature }))
  if (run.hashes.has(index)) await noteMarket(node, run, index, calls.flat())
  return answer
}

/** Sends a transaction that runs an action as an agent wallet, with the faults of its options. */
async function executeAsWallet(chain: Chain, index: number, [, wallet, action, args]: AgentStep): Promise<unknown> {
  const [agent, namespace, given, options = {}] = args
  const payload = agentPayload(agent, namespace, action, given, chain.run, options)
  const type = options.type ?? agentPayloadType
  const unsigned: UnsignedTransaction = {
    description: '',
    payload,
    payloadType: type,
    fee: 0n,
    nonce: nextNonce(chain, wallet) + (options.nonce ?? 0),
    chainId: options.chain ?? chain.chainId,
    sender: walletSigner(wallet).address,
  }
  const signed = options.digest === undefined ? unsigned : { ...unsigned, payload: otherOctets(payload) }
  const signature = walletSigner(options.sign ?? wallet).signMessage(transactionMessageSync(signed))
  const tx = transactionToJson({ ...unsigned, payloadType: options.sent ?? type, signature })
  chain.sent.set(index, tx)
  return deliver(chain, index, wallet, tx)
}

/** Octets whose digest is another one: a zero follows. */
function otherOctets(octets: Uint8Array): Uint8Array {
  return concatBytes(octets, Uint8Array.of(0))
}

function agentPayload(
  agent: string,
  namespace: string,
  action: string,
  args: readonly Argument[],
  run: Run,
  { version = 0, cut = 0, tail = '' }: NonNullable<AgentArguments[3]>,
): Uint8Array {
  const values = args.map((one) => toArgument(one, run))
  const payload = encodeAgentExecution({ wallet: decodeHex(agent), namespace, action, args: values })
  payload[0] = version
  const whole = concatBytes(payload, decodeHex(tail))
  return whole.subarray(0, whole.length - cut)
}

function nextNonce({ nonces }: Chain, wallet: number): number {
  return (nonces.get(wallet) ?? 0) + 1
}

/** Sends a transaction and gives code and log; keeps its hash and its height. */
async function deliver(
  { node, nonces, run }: Chain,
  index: number,
  wallet: number,
  tx: TransactionJson,
): Promise<unknown> {
  const sent = await node.call('user.broadcast', { tx, sync: 1 })
  if ('error' in sent) {
    const { code, message, data } = sent.error
    // A refusal of a transaction has its own code and text.
    const { code: txCode = code, message: text = message } = (data ?? {}) as Partial<typeof sent.error>
    return { refused: [txCode, text] }
  }
  nonces.set(wallet, (nonces.get(wallet) ?? 0) + 1)
  const { tx_hash } = sent.result as { readonly tx_hash: string }
  const { height, tx_result } = (await must(node, 'user.tx_query', { tx_hash })) as {
    readonly height: number | string
    readonly tx_result: { readonly code: number; readonly log?: string }
  }
  run.hashes.set(index, tx_hash)
  run.heights.set(index, Number(height))
  return [tx_result.code, tx_result.log ?? '']
}

async function noteMarket(node: NodeConnection, run: Run, index: number, args: readonly Argument[]): Promise<void> {
  const asked = args.find((one) => one !== null && typeof one === 'object' && 'qc' in one)
  if (asked === undefined) return
  // The argument was found by having the member.
  const hash = hashComponents(questionComponents((asked as { readonly qc: Question }).qc, run))
  run.questions.set(index, encodeHex(hash))
  const found = await callView(node, 0, 'get_market_by_hash', [{ type: dataType('bytea'), value: hash }])
  const id = 'rows' in found ? found.rows[0]?.[0] : undefined
  if (id !== undefined) run.markets.set(index, Number(id))
}

async function askView({ node, run }: Chain, [, wallet, action, args]: ViewStep): Promise<ViewAnswer> {
  const values = args.map((one) => toArgument(one, run))
  return callView(node, wallet, action, values)
}

/** A table of an answer. */
export interface Table {
  readonly columns: readonly string[]
  readonly types: readonly string[]
  readonly rows: readonly (readonly unknown[])[]
  readonly logs: string
}

/** The answer of a view: its table, the refusal of the action, or that of the engine. */
type ViewAnswer = Table | { readonly error: string } | { readonly rpc: readonly [number, string] }

/** Calls a view. */
export async function callView(
  node: NodeConnection,
  wallet: number,
  action: string,
  args: readonly TypedValue[],
): Promise<ViewAnswer> {
  const answer = await node.call('user.call', {
    body: { payload: encodeBase64(encodeActionCall({ namespace: '', action, args })), challenge: null },
    auth_type: 'secp256k1_ep',
    sender: wallet === 0 ? '' : walletSigner(wallet).address.slice(2),
    signature: null,
  })
  if ('error' in answer) return { rpc: [answer.error.code, answer.error.message] }
  const { query_result, logs, error } = answer.result as {
    readonly query_result: QueryResultJson
    readonly logs?: string
    readonly error: string | null
  }
  if (error !== null) return { error }
  const { column_names, column_types, values } = query_result
  return {
    columns: column_names ?? [],
    types: (column_types ?? []).map(typeText),
    rows: values ?? [],
    logs: logs ?? '',
  }
}

function typeText({ name, is_array, metadata }: ColumnType): string {
  const [precision = 0, scale = 0] = metadata ?? []
  return `${name}${precision > 0 ? `(${precision},${scale})` : ''}${is_array ? '[]' : ''}`
}

/** Blocks after which a signature that has not come is taken for lost. */
const signatureBlocks = 5

async function waitFor(chain: Chain, awaited: Awaited): Promise<null> {
  const { node, run } = chain
  if ('t' in awaited) {
    await node.operate('dev.setNextBlockTimestamp', { timestamp: run.start + awaited.t })
    return null
  }
  const step: ViewStep = ['v', 1, 'get_signed_attestation', [{ txn: awaited.signed }], null]
  for (let blocks = 0; blocks < signatureBlocks; blocks++) {
    if ('rows' in (await askView(chain, step))) return null
    await node.operate('dev.mine', { blocks: 1 })
  }
  throw new ScenarioError(
    `Cannot play the scenario: the attestation of step ${awaited.signed} is not signed after ${signatureBlocks} blocks`,
  )
}
