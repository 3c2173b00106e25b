/** The `dev.*` methods about the ledger as a whole: snapshots, reset, dump and load; and the status that they answer. */

import { isRecord } from '../../base/json.ts'
import { createGenesis } from '../blocks.ts'
import { planDuties } from '../duties.ts'
import { chainTime, type Node } from '../node.ts'
import { loadSeedNetwork } from '../seed/network.ts'
import { countSnapshots, isSnapshotKey, revertSnapshot, takeSnapshot } from '../snapshots.ts'
import { headBlock } from '../state/chain.ts'
import { readMining, takeFault } from '../state/control.ts'
import { poolSize } from '../state/pool.ts'
import { flagParam, intParam, invalidParams, type Method, type Params, show } from './method.ts'

const maxSnapshots = 1000
const noDump = 'state is not what dev.dumpState gave'

/** The methods by name. */
export const devStateMethods: Readonly<Record<string, Method>> = {
  'dev.snapshot': ({ node }) => {
    if (countSnapshots(node.store) >= maxSnapshots) {
      throw invalidParams(`there are ${maxSnapshots} snapshots, expected dev.revert to one of the first before more`)
    }
    return { result: { snapshot: takeSnapshot(node.store) } }
  },
  'dev.revert': ({ node }, params) => {
    const id = intParam(params, 'snapshot', { least: 1, most: Number.MAX_SAFE_INTEGER })
    if (!revertSnapshot(node.store, id)) throw invalidParams(`snapshot ${id} does not exist`)
    return { result: describeStatus(node) }
  },
  'dev.reset': ({ node }, params) => {
    const isSeeded = flagParam(params, 'seed', false)
    clear(node)
    createGenesis(node.store, node.settings, node.nowMs)
    if (isSeeded) loadSeedNetwork(node)
    return { result: describeStatus(node) }
  },
  'dev.dumpState': ({ node }) => ({ result: { state: Object.fromEntries(ledgerEntries(node)) } }),
  'dev.loadState': ({ node }, params) => {
    const entries = stateParam(params)
    clear(node)
    for (const [key, value] of entries) node.store.put(key, value)
    // `handleRpc` undoes the load.
    if (!isReadable(node)) throw invalidParams(noDump)
    return { result: describeStatus(node) }
  },
}

/** Describes the head of the chain, its clock and its settings; times in milliseconds since the Unix epoch. */
export function describeStatus(node: Node): object {
  const head = headBlock(node.store)
  return {
    height: head?.height ?? 0,
    block_hash: head?.hash ?? '',
    block_time_ms: head?.timeMs ?? 0,
    chain_time_ms: chainTime(node),
    waiting: poolSize(node.store),
    mining: readMining(node.store),
    profile: node.settings.profile.name,
    chain_id: node.settings.chainId,
    operator: node.settings.operator,
  }
}

/** Tells whether the node can read a ledger that was loaded: each entry is what it writes under its key. */
function isReadable(node: Node): boolean {
  try {
    describeStatus(node)
    planDuties(node, {})
    // Every request looks for its fault.
    takeFault(node.store, '')
    return headBlock(node.store)?.hash.length === 64
  } catch {
    return false
  }
}

function* ledgerEntries({ store }: Node): Generator<readonly [string, string]> {
  // "~" comes after every character that a key may begin with.
  for (const entry of store.list({ start: '', end: '~' })) if (!isSnapshotKey(entry[0])) yield entry
}

function clear({ store }: Node): void {
  for (const [key] of [...store.list({ start: '', end: '~' })]) store.delete(key)
}

function stateParam({ state }: Params): readonly (readonly [string, string])[] {
  if (!isRecord(state)) throw invalidParams(`state is ${show(state)}, expected what dev.dumpState gave`)
  const entries = Object.entries(state)
  const isDump = entries.every(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && /^[a-z][\x21-\x7d]*$/.test(entry[0]),
  )
  if (isDump && 'head' in state) return entries
  throw invalidParams(noDump)
}
