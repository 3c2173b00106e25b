/** NodeObject: a development node's ledger, its duties, and the callers that wait for a block. */

import { DurableObject } from 'cloudflare:workers'
import { encodeHex } from '#base/hex.ts'
import { alarmTime, type DutyPlan, performDuties, planDuties } from '#devnode/duties.ts'
import { countBlocks, formatNodeMetrics, type NodeTally, openNodeTally } from '#devnode/metrics.ts'
import { type Node, openNode, type ReadonlyNode } from '#devnode/node.ts'
import { openLedger } from '#devnode/open-ledger.ts'
import { answerView, type DirectView } from '#devnode/rpc/direct-view.ts'
import type { RpcAnswer, WaitAnswer } from '#devnode/rpc/errors.ts'
import { health } from '#devnode/rpc/user.ts'
import { type Caller, isFull } from '#devnode/rpc/visitors.ts'
import {
  adminMethods,
  answerCommit,
  handleRpc,
  type MethodTable,
  publicMethodsFor,
  timeoutAnswer,
} from '#devnode/rpc.ts'
import { loadSeedNetwork } from '#devnode/seed/network.ts'
import { commitTimeoutMs, type ParsedSettings, parseNodeSettings } from '#devnode/settings.ts'
import { findOutcome, headBlock } from '#devnode/state/chain.ts'
import type { StreamnetEnv } from './env.ts'
import { type AskedRequest, createJointTurn } from './joint-turn.ts'
import { sqliteLedgerStore } from './storage/node.ts'

/** The key of the plan of duties, beside the ledger: it belongs to the object's alarm and not to the chain. */
const planKey = 'duty-plan'

/** An answer as it travels to the Worker; `isCut` breaks the connection instead. */
export interface NodeAnswer {
  readonly status: number
  readonly text: string
  readonly isCut: boolean
  /** The state of the ledger after the request, as `NodeObject.state()` names it. */
  readonly state: string
}

/** The result of a view, as it travels to the gateway. */
interface ViewAnswer {
  /** JSON of a `DirectOutcome`: one text travels faster than the cells that it holds. */
  readonly text: string
  /** The state of the ledger in which it was read, as `NodeObject.state()` names it. */
  readonly state: string
}

/** A caller whose broadcast waits for its block. */
interface Waiter {
  readonly hash: string
  /** Ends the wait, the block being there or not. */
  end(): void
}

/**
 * A development node of the stream network, named by its network.
 *
 * Every request runs to its end in one turn and in one SQL transaction, so no other sees half of it, and the
 * platform holds the answer back until what was written is on disk. Transactions that arrive together share both.
 */
export class NodeObject extends DurableObject<StreamnetEnv> {
  readonly #settings: ParsedSettings = parseNodeSettings({ ...this.env })
  readonly #ledger = openLedger(sqliteLedgerStore(this.ctx.storage), (run) => this.ctx.storage.transactionSync(run))
  readonly #waiters = new Set<Waiter>()
  readonly #tally: NodeTally
  /** Names this life of the object in the names of states: each life counts its writes from 0. */
  readonly #life = crypto.randomUUID()
  /** The count of writes to the ledger when blocks and duties were last looked at. */
  #seenWrites = -1
  #plan: DutyPlan
  readonly #answerInTurn = createJointTurn((requests) => this.#answerTogether(requests))

  constructor(ctx: DurableObjectState, env: StreamnetEnv) {
    super(ctx, env)
    this.#transact((node) => this.#open(node))
    this.#tally = openNodeTally(this.#ledger.store)
    // Only #schedule writes under this key.
    this.#plan = (ctx.storage.kv.get(planKey) as DutyPlan | undefined) ?? {}
    this.#schedule()
  }

  /** Answers one JSON-RPC request of the public port; the Worker says who sends it. */
  rpc(text: string, caller: Caller): Promise<NodeAnswer> {
    return this.#answer(publicMethodsFor(caller, this.#settings), text)
  }

  /** Answers one JSON-RPC request of the operator's port. */
  adminRpc(text: string): Promise<NodeAnswer> {
    return this.#answer(adminMethods, text)
  }

  /** Reads a view for the deployment's own gateway; undefined when it has to ask by `rpc()`. */
  view(asked: DirectView): ViewAnswer | undefined {
    const outcome = answerView(this.#node(), asked)
    return outcome && { text: JSON.stringify(outcome), state: this.state() }
  }

  /** Names the state of the ledger: under one name nothing was written, so that a view answers the same again. */
  state(): string {
    return `${this.#life} ${this.#ledger.writes()}`
  }

  /** The health of the node, as its HTTP path tells it. */
  health(): object {
    return health(this.#node())
  }

  /** The reason why the node takes no transaction, not even one of the gateway; null when it does. */
  fault(): string | null {
    if (headBlock(this.#ledger.store) === undefined) return 'the node has no block'
    return isFull(this.#node()) ? 'the ledger has reached STREAMNET_MAX_STORE_MB' : null
  }

  /** The metrics of the node in the text format of Prometheus. */
  metrics(): string {
    return formatNodeMetrics(this.#tally, this.#ledger.store)
  }

  /** Does what the plan has for this time, and plans what comes next. */
  override async alarm(): Promise<void> {
    this.#transact((node) => performDuties(node, this.#plan))
    this.ctx.storage.kv.delete(planKey)
    this.#plan = {}
    this.#schedule()
    this.#announceBlocks()
  }

  #node(): ReadonlyNode {
    return { store: this.#ledger.store, settings: this.#settings, nowMs: Date.now() }
  }

  /** Runs what changes the ledger. */
  #transact<T>(run: (node: Node) => T): T {
    return this.#ledger.transact((store) => run({ ...this.#node(), store }))
  }

  #open(node: Node): void {
    const isNew = headBlock(node.store) === undefined
    openNode(node)
    if (isNew && this.#settings.hasSeedNetwork) loadSeedNetwork(node)
  }

  async #answer(methods: MethodTable, text: string): Promise<NodeAnswer> {
    const request = { methods, text }
    // A transaction spelled otherwise has a turn for itself, which costs time and changes nothing.
    const answer = text.includes('"user.broadcast"')
      ? await this.#answerInTurn(request)
      : // One request has one answer.
        (this.#answerTogether([request])[0] as RpcAnswer)
    if (this.#ledger.writes() !== this.#seenWrites) {
      this.#schedule()
      this.#announceBlocks()
    }
    const state = this.state()
    return toNodeAnswer(answer.kind === 'wait' ? await this.#awaitBlock(answer) : answer, state)
  }

  /** Answers requests one after the other; what they change is written at the end, all of it or nothing. */
  #answerTogether(requests: readonly AskedRequest[]): readonly RpcAnswer[] {
    return this.#transact((node) => {
      const host = { node, randomHex }
      return requests.map(({ methods, text }) => handleRpc(host, methods, text))
    })
  }

  async #awaitBlock(broadcast: WaitAnswer): Promise<RpcAnswer> {
    await new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer)
        // Another caller may wait for the same hash: a snapshot that is reverted makes a transaction new again.
        this.#waiters.delete(waiter)
        resolve()
      }
      const timer = setTimeout(end, commitTimeoutMs)
      const waiter = { hash: broadcast.hash, end }
      this.#waiters.add(waiter)
    })
    return answerCommit(this.#node(), broadcast) ?? timeoutAnswer(broadcast)
  }

  /** Counts new blocks, and ends the waits of the callers whose transactions are in them. */
  #announceBlocks(): void {
    countBlocks(this.#tally, this.#ledger.store)
    for (const { hash, end } of this.#waiters) if (findOutcome(this.#ledger.store, hash) !== undefined) end()
  }

  /** Plans the next duties; a plan that has not changed keeps the alarm that is set. */
  #schedule(): void {
    this.#seenWrites = this.#ledger.writes()
    const plan = planDuties(this.#node(), this.#plan)
    if (JSON.stringify(plan) === JSON.stringify(this.#plan)) return
    this.#plan = plan
    const atMs = alarmTime(plan, Date.now())
    this.ctx.storage.kv.put(planKey, plan)
    if (atMs === undefined) void this.ctx.storage.deleteAlarm()
    else void this.ctx.storage.setAlarm(atMs)
  }
}

function toNodeAnswer(answer: RpcAnswer, state: string): NodeAnswer {
  if (answer.kind !== 'answer') return { status: 200, text: '', isCut: true, state }
  return { status: answer.status, text: JSON.stringify(answer.body), isCut: false, state }
}

function randomHex(): string {
  return encodeHex(crypto.getRandomValues(new Uint8Array(32)))
}
