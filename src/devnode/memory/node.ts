/** A node whose ledger is in memory: requests go in as text, and no timer runs between them. */

import { alarmTime, type DutyPlan, performDuties, planDuties } from '../duties.ts'
import { chainTime, type Node, openNode, type ReadonlyNode } from '../node.ts'
import { openLedger } from '../open-ledger.ts'
import type { RpcAnswer, WaitAnswer } from '../rpc/errors.ts'
import { health } from '../rpc/user.ts'
import { adminMethods, answerCommit, handleRpc, publicMethodsFor, timeoutAnswer } from '../rpc.ts'
import { loadSeedNetwork } from '../seed/network.ts'
import { commitTimeoutMs, type ParsedSettings } from '../settings.ts'
import { createMemoryStore } from './store.ts'

interface MemoryHost {
  /** Unix time in milliseconds, never lower than before. */
  readonly now: () => number
  /** Waits this many milliseconds of that clock. */
  readonly sleep: (ms: number) => Promise<void>
  /** 32 random bytes in hex. */
  readonly randomHex: () => string
}

/** A node in memory. */
export interface MemoryNode {
  /** Answers the text of one request to the public port, or to the operator's; undefined breaks the connection. */
  ask(port: 'public' | 'admin', text: string): Promise<{ readonly status: number; readonly text: string } | undefined>
  /** The health of the node, as its HTTP path tells it. */
  health(): object
  /** The time of the chain, in Unix milliseconds. */
  chainTime(): number
}

/** Blocks and settlements that one request makes up for; an interval of a millisecond would have millions an hour. */
const maxDuties = 1000
/** Milliseconds between two looks for the block that a broadcast waits for. */
const lookMs = 10

/** Opens a node on an empty ledger; what it does by itself happens at its time, before the next request. */
export function openMemoryNode(settings: ParsedSettings, { now, sleep, randomHex }: MemoryHost): MemoryNode {
  const ledger = openLedger(createMemoryStore(), (run) => run())
  let plan: DutyPlan = {}
  const view = (nowMs = now()): ReadonlyNode => ({ store: ledger.store, settings, nowMs })

  function transact<T>(nowMs: number, run: (node: Node) => T): T {
    const result = ledger.transact((store) => run({ ...view(nowMs), store }))
    plan = planDuties(view(nowMs), plan)
    return result
  }

  function catchUp(): void {
    const nowMs = now()
    for (let left = maxDuties; left > 0; left--) {
      const atMs = alarmTime(plan, nowMs)
      if (atMs === undefined || atMs > nowMs) return
      const due = plan
      plan = {}
      transact(atMs, (node) => performDuties(node, due))
    }
    plan = planDuties(view(nowMs), {})
  }

  async function awaitBlock(broadcast: WaitAnswer): Promise<RpcAnswer> {
    for (const endMs = now() + commitTimeoutMs; ; await sleep(lookMs)) {
      catchUp()
      const answer = answerCommit(view(), broadcast)
      if (answer !== undefined) return answer
      if (now() >= endMs) return timeoutAnswer(broadcast)
    }
  }

  transact(now(), (node) => {
    openNode(node)
    if (settings.hasSeedNetwork) loadSeedNetwork(node)
  })
  return {
    async ask(port, text) {
      catchUp()
      const methods = port === 'admin' ? adminMethods : publicMethodsFor('visitor', settings)
      const first = transact(now(), (node) => handleRpc({ node, randomHex }, methods, text))
      const answer = first.kind === 'wait' ? await awaitBlock(first) : first
      return answer.kind === 'answer' ? { status: answer.status, text: JSON.stringify(answer.body) } : undefined
    },
    health: () => health(view()),
    chainTime: () => chainTime(view()),
  }
}
