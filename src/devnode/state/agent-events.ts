/** Events of agent wallets: rules made, rules joined, withdrawals. Actions that ran leave none. */

import { stringifyWide } from '../../base/json.ts'
import { countPart, joinKey, keysUnder, lastPart, parseCountPart, readCounter } from '../keys.ts'
import type { LedgerStore } from '../ports.ts'

/** An event; ids and addresses are lower-case hex with `0x`. */
export interface AgentEvent {
  /** Counted over all rules, from 1. */
  readonly id: number
  readonly ruleId: string
  /** Null for a rule that was made. */
  readonly wallet: string | null
  readonly type: 'CREATE_RULE' | 'JOIN' | 'WITHDRAW'
  readonly actor: string
  /** Of a withdrawal, its commission included; null where none was given. */
  readonly amount: bigint | null
  /** 64 hex digits. */
  readonly txId: string
  readonly height: number
  /** UNIX seconds. */
  readonly blockTime: number
}

const events = 'agent-event'
const counter = 'agent-event-count'

/** Adds an event under the next id. */
export function addAgentEvent(store: LedgerStore, { ruleId, ...event }: Omit<AgentEvent, 'id'>): void {
  const id = readCounter(store, counter) + 1
  store.put(counter, `${id}`)
  store.put(joinKey(events, ruleId, countPart(id)), stringifyWide(event))
}

/** The events of a rule and its wallets, oldest first. */
export function* listAgentEvents(store: LedgerStore, ruleId: string): Generator<AgentEvent> {
  for (const [key, text] of store.list(keysUnder(events, ruleId))) {
    // Only addAgentEvent writes under these keys; the id and the rule are in the key.
    const stored = JSON.parse(text) as Omit<AgentEvent, 'amount'> & { readonly amount: string | null }
    const amount = stored.amount === null ? null : BigInt(stored.amount)
    yield { ...stored, id: parseCountPart(lastPart(key)), ruleId, amount }
  }
}
