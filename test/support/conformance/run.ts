/** Runs a scenario on a node that is reset for it: what it starts with, its steps, and what differs. */

import { toTypedValue } from '#streamnet/codec/value.ts'
import { type Run, walletSigner } from './arguments.ts'
import { type Difference, findDifferences, isCompared } from './compare.ts'
import type { NodeConnection } from './node-connection.ts'
import { type Chain, callView, currentHeight, moveChain, must, playStep } from './play.ts'
import { type Scenario, ScenarioError, type Shapes } from './scenario.ts'
import { createAnswerWriter } from './symbols.ts'

/** Result of a scenario. */
export interface ScenarioResult {
  readonly name: string
  /** Number of answers that were compared. */
  readonly compared: number
  readonly differences: readonly Difference[]
}

/** UNIX seconds that a run starts at unless the clock is further: no address of a scenario has these octets. */
const usualStart = 1_900_000_030
/** Blocks between two samplings of liquidity. */
const samplingBlocks = 50

/**
 * Resets the node, plays a scenario and compares its answers.
 *
 * @throws ScenarioError when the node cannot be reached or prepared.
 */
export async function runScenario(node: NodeConnection, scenario: Scenario, shapes: Shapes): Promise<ScenarioResult> {
  await node.operate('dev.reset')
  const status = (await node.operate('dev.status')) as NodeStatus
  assertProfile(status)
  await node.operate('dev.setAutomine', { enabled: true })
  const chain = await openChain(node, scenario, status)
  await prepare(chain, scenario)
  const answers: unknown[] = []
  for (const [index, step] of scenario.steps.entries()) {
    answers.push(await playStep(chain, index, step, scenario.paces?.[index]))
  }
  const write = createAnswerWriter(chain.run, status.operator)
  const written = scenario.steps.map(([, , action], index) => write(answers[index], action ?? ''))
  return {
    name: scenario.name,
    compared: scenario.steps.filter(isCompared).length,
    differences: findDifferences(scenario.steps, written, shapes),
  }
}

interface NodeStatus {
  /** `0x` and 40 lower-case hex digits. */
  readonly operator: string
  readonly profile?: string
  /** UNIX milliseconds. */
  readonly chain_time_ms: number
}

function assertProfile({ profile }: NodeStatus): void {
  if (profile === undefined || profile === 'head') return
  throw new ScenarioError(
    `Cannot run the scenarios: the node has profile ${profile}, expected head (STREAMNET_PROFILE=head)`,
  )
}

async function openChain(node: NodeConnection, scenario: Scenario, status: NodeStatus): Promise<Chain> {
  const info = (await must(node, 'user.chain_info', {})) as { readonly chain_id: string }
  const run: Run = {
    start: Math.max(usualStart, Math.floor(status.chain_time_ms / 1000) + 30),
    ahead: heightsAhead(await currentHeight(node), scenario.firstHeight),
    heights: new Map(),
    hashes: new Map(),
    markets: new Map(),
    questions: new Map(),
  }
  return { node, chainId: info.chain_id, nonces: new Map(), run, sent: new Map() }
}

/** The first height of a run has the same place between two samplings as the recorded one. */
function heightsAhead(height: number, firstHeight: number | undefined): number {
  if (firstHeight === undefined) return 0
  const first = Math.ceil((height + 1) / samplingBlocks) * samplingBlocks + (firstHeight % samplingBlocks)
  return firstHeight - first
}

/** A node may have writers from its first block on; the recorded node had none. */
async function removeWriters({ node }: Chain): Promise<void> {
  const args = ['system', 'network_writer', null, null].map(toTypedValue)
  const answer = await callView(node, 0, 'list_role_members', args)
  if (!('rows' in answer)) return
  for (const [wallet] of answer.rows) await node.operate('dev.revokeRole', { wallet })
}

async function prepare(chain: Chain, { funds, roles, deposits = [] }: Scenario): Promise<void> {
  const { node, run } = chain
  await removeWriters(chain)
  for (const [bridge, wallet, amount] of funds) {
    await node.operate('dev.setBalance', { bridge, wallet: walletSigner(wallet).address, amount })
  }
  for (const [wallet, owner, role] of roles) {
    await node.operate('dev.grantRole', { wallet: walletSigner(wallet).address, owner, role })
  }
  for (const [bridge, wallet, amount, from, hash, externalHeight, height, seconds] of deposits) {
    if ((await currentHeight(node)) + run.ahead < height) {
      await moveChain(chain, height - 1, seconds)
      await node.operate('dev.mine', { blocks: 1 })
    }
    await node.operate('dev.deposit', {
      bridge,
      wallet: walletSigner(wallet).address,
      amount,
      from,
      external_tx_hash: hash,
      external_block_height: externalHeight,
    })
  }
}
