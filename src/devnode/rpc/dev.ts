/** The `dev.*` methods: what a developer needs and no network offers. They work only on a node with `isDevelopment`. */

import { isRecord } from '../../base/json.ts'
import { nearest } from '../../base/nearest.ts'
import { isAddress } from '../actions/checks.ts'
import { nextBlockContext } from '../blocks.ts'
import { DevnodeError } from '../errors.ts'
import { applyTransaction } from '../ledger.ts'
import { settleDueMarkets } from '../markets/settle-due.ts'
import { mine, mineWaiting, nextBlockTime } from '../node.ts'
import { createOverlay } from '../overlay.ts'
import { loadSeedNetwork } from '../seed/network.ts'
import { headBlock, zeroHash } from '../state/chain.ts'
import { putClock, putImpersonated, putMining, readClock, readImpersonated } from '../state/control.ts'
import { addMember, findRole, putRole, type RoleName, removeMember } from '../state/roles.ts'
import { addProvider } from '../state/streams.ts'
import { devBridgeMethods } from './dev-bridge.ts'
import { devFaultMethods } from './dev-faults.ts'
import { walletParam } from './dev-params.ts'
import { describeStatus, devStateMethods } from './dev-state.ts'
import {
  flagParam,
  intParam,
  invalidParams,
  type Method,
  type Params,
  type RpcHost,
  show,
  textParam,
} from './method.ts'
import { listParameters } from './parameters.ts'
import { readTransaction } from './transactions.ts'

const maxMined = 1000
const maxImpersonated = 100
const maxRoleLength = 128
const dayMs = 86_400_000
const centuryMs = 100 * 365 * dayMs

/** The methods by name; on a node that is not for development each throws method_not_found. */
export const devMethods: Readonly<Record<string, Method>> = guarded({
  'dev.status': ({ node }) => ({ result: describeStatus(node) }),
  'dev.mine': ({ node }, params) => {
    const blocks = intParam(params, 'blocks', { least: 1, most: maxMined, otherwise: 1 })
    for (let made = 0; made < blocks; made++) mine(node)
    return { result: describeStatus(node) }
  },
  'dev.setAutomine': ({ node }, params) => {
    const enabled = flagParam(params, 'enabled')
    putMining(node.store, enabled ? { kind: 'auto' } : { kind: 'manual' })
    if (enabled) mineWaiting(node)
    return { result: describeStatus(node) }
  },
  'dev.setIntervalMining': ({ node }, params) => {
    const intervalMs = intParam(params, 'interval_ms', { least: 0, most: dayMs })
    putMining(node.store, intervalMs === 0 ? { kind: 'manual' } : { kind: 'interval', intervalMs })
    return { result: describeStatus(node) }
  },
  'dev.increaseTime': ({ node }, params) => {
    const seconds = intParam(params, 'seconds', { least: 0, most: centuryMs / 1000 })
    const clock = readClock(node.store)
    if (clock.offsetMs + seconds * 1000 > centuryMs) throw invalidParams('seconds lead more than a century ahead')
    putClock(node.store, { ...clock, offsetMs: clock.offsetMs + seconds * 1000 })
    return { result: describeStatus(node) }
  },
  'dev.setNextBlockTimestamp': ({ node }, params) => {
    const lastMs = headBlock(node.store)?.timeMs ?? 0
    const timestamp = intParam(params, 'timestamp', {
      least: Math.ceil(lastMs / 1000),
      most: Math.floor((node.nowMs + centuryMs) / 1000),
    })
    putClock(node.store, { ...readClock(node.store), nextBlockMs: timestamp * 1000 })
    return { result: describeStatus(node) }
  },
  ...devStateMethods,
  'dev.settleDue': ({ node }) => ({ result: settleDueMarkets(node) }),
  'dev.loadSeedNetwork': ({ node }) => ({ result: { streams: loadSeedNetwork(node) } }),
  ...devBridgeMethods,
  'dev.grantRole': ({ node }, params) => {
    const [role, wallet] = [roleParam(params), walletParam(params)]
    const height = headBlock(node.store)?.height ?? 0
    if (findRole(node.store, role) === undefined) putRole(node.store, role, undefined)
    addMember(node.store, role, { wallet, grantedAt: height, grantedBy: role.owner })
    addProvider(node.store, wallet, height)
    return { result: {} }
  },
  'dev.revokeRole': ({ node }, params) => {
    removeMember(node.store, roleParam(params), walletParam(params))
    return { result: {} }
  },
  'dev.impersonate': ({ node }, params) => {
    const [wallet, enabled] = [walletParam(params), flagParam(params, 'enabled', true)]
    const others = readImpersonated(node.store).filter((one) => one !== wallet)
    if (enabled && others.length >= maxImpersonated) {
      throw invalidParams(`too many wallets are impersonated, expected at most ${maxImpersonated}`)
    }
    putImpersonated(node.store, enabled ? [...others, wallet] : others)
    return { result: { impersonated: readImpersonated(node.store) } }
  },
  ...devFaultMethods,
  'dev.simulate': (host, { tx }) => ({ result: simulate(host, tx) }),
})

/** Throws for an unknown parameter, because a misspelled one would silently take its default. */
function assertKnown(name: string, params: Params): void {
  const known = listParameters(name).map((one) => one.name)
  const unknown = Object.keys(params).find((one) => !known.includes(one))
  if (unknown === undefined) return
  const near = nearest(unknown, known)
  const expected = known.length === 0 ? 'no parameters' : known.join(', ')
  throw invalidParams(
    `"${unknown.slice(0, 64)}" is not a parameter of ${name}${near ? `, perhaps ${near}` : `, expected ${expected}`}`,
  )
}

/** Makes methods refuse on a node that is not for development, before they look at their parameters. */
function guarded(methods: Readonly<Record<string, Method>>): Readonly<Record<string, Method>> {
  return Object.fromEntries(
    Object.entries(methods).map(([name, method]): [string, Method] => [
      name,
      (host, params, called, text) => {
        if (!host.node.settings.isDevelopment) {
          throw new DevnodeError(
            'method_not_found',
            `${name} is refused: this node is not marked as a development node`,
          )
        }
        assertKnown(name, params)
        return method(host, params, called, text)
      },
    ]),
  )
}

/** Simulates a transaction, signed or not: its result and the number of its writes. Nothing is kept. */
function simulate({ node }: RpcHost, json: unknown): object {
  if (!isRecord(json) || !isRecord(json.body)) {
    throw invalidParams('tx has no body, expected a transaction as user.broadcast takes it')
  }
  const { body, signature } = json
  // Missing members are filled in: a simulation needs no signature and no nonce.
  const transaction = readTransaction({
    ...json,
    signature: { type: 'secp256k1_ep', ...(isRecord(signature) && signature), sig: '' },
    body: { ...body, fee: body.fee ?? '0', nonce: body.nonce ?? 1 },
  })
  const overlay = createOverlay(node.store)
  const context = nextBlockContext(node.settings, headBlock(node.store), nextBlockTime(node))
  const { outcome } = applyTransaction(overlay, node.settings, context, { hash: zeroHash, transaction })
  const { code, log, gas } = outcome
  return { code, log, gas, writes: overlay.changes().size }
}

function roleParam(params: Params): RoleName {
  const owner = textParam({ owner: 'system', ...params }, 'owner').toLowerCase()
  const role = textParam({ role: 'network_writer', ...params }, 'role').toLowerCase()
  if (role.length < 1 || role.length > maxRoleLength || /\p{Surrogate}/u.test(role)) {
    throw invalidParams(`role is ${show(role)}, expected 1 to ${maxRoleLength} characters`)
  }
  if (owner === 'system' || isAddress(owner)) return { owner, role }
  throw invalidParams(`owner is ${show(owner)}, expected "system" or an address`)
}
