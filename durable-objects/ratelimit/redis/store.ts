/** One Redis store of any shape: finds the server of every key and runs the commands there. */

import { messageOf } from '#base/errors.ts'
import type { Address, Endpoint, StoreAddress } from '#ratelimit/redis/address.ts'
import type { Command, HitCommands } from '#ratelimit/redis/commands.ts'
import { isErrorReply, type Reply } from '#ratelimit/redis/resp.ts'
import { keySlot } from '#ratelimit/redis/slot.ts'
import { addressText, readMaster, readRedirection, readSlots, type SlotMap } from '#ratelimit/redis/topology.ts'
import type { Unit } from '#ratelimit/types.ts'
import { type NodeOptions, RedisNode } from './server.ts'

interface StoreOptions extends Omit<NodeOptions, 'tls' | 'credentials' | 'onConnections'> {
  /** True to close the connection at a READONLY error, so that a replaced master is looked for. */
  readonly closeOnReadOnly: boolean
}

/** Redirections that the commands of a key follow before the cluster is taken to be at odds. */
const maxRedirections = 5

/** A store and its connections. */
export class RedisStore {
  readonly #address: StoreAddress
  readonly #options: StoreOptions
  readonly #nodes = new Map<string, RedisNode>()
  #master: Promise<Endpoint> | undefined
  #slots: Promise<SlotMap> | undefined
  /** Connections that are open now, and that were ever opened. */
  readonly connections = { active: 0, total: 0 }

  constructor(address: StoreAddress, options: StoreOptions) {
    this.#address = address
    this.#options = options
  }

  /**
   * Runs the commands of several keys: one pipeline for a single server, one per server in a cluster.
   *
   * All of them run, also after one failed.
   *
   * @returns the replies of each key, in order.
   * @throws Error with Redis's own text when any command failed, or with the state of the connection.
   */
  async run(groups: readonly HitCommands[]): Promise<readonly (readonly Reply[])[]> {
    if (this.#address.kind === 'cluster') return this.#runInCluster(groups)
    const address = await this.#server()
    try {
      const replies = await this.#node(address).run(groups.flatMap(({ commands }) => commands))
      return this.#split(groups, replies, address)
    } catch (error) {
      this.#master = undefined
      throw error
    }
  }

  /** Asks a server whether it is there. */
  async ping(): Promise<void> {
    const address = this.#address.kind === 'cluster' ? this.#address.servers[0] : await this.#server()
    if (address === undefined) return
    const [reply = null] = await this.#node(address).run([['PING']])
    if (isErrorReply(reply)) throw new Error(reply.error)
  }

  #split(groups: readonly HitCommands[], replies: readonly Reply[], address: Endpoint): readonly Reply[][] {
    const failure = replies.find(isErrorReply)
    if (failure !== undefined) this.#refused(failure.error, address)
    let next = 0
    return groups.map(({ commands }) => {
      const own = replies.slice(next, next + commands.length)
      next += commands.length
      return own
    })
  }

  #refused(text: string, address: Endpoint): never {
    if (text.startsWith('READONLY') && (this.#options.closeOnReadOnly || this.#address.kind === 'sentinel')) {
      this.#node(address).close(text)
      this.#master = undefined
    }
    throw new Error(text)
  }

  /** The one server, or the master that the sentinels name; asked once, and again after a failure. */
  #server(): Promise<Endpoint> {
    const { servers, socketPath } = this.#address
    if (socketPath !== undefined) return Promise.resolve({ path: socketPath })
    const [first] = servers
    if (this.#address.kind === 'single' && first !== undefined) return Promise.resolve(first)
    this.#master ??= this.#findMaster().catch((error: unknown) => {
      this.#master = undefined
      throw error
    })
    return this.#master
  }

  async #findMaster(): Promise<Address> {
    const { servers, masterName = '', sentinelCredentials } = this.#address
    let reason = 'no sentinel was asked'
    for (const address of servers) {
      const sentinel = new RedisNode(address, { ...this.#nodeOptions(sentinelCredentials), onConnections: uncounted })
      try {
        const [reply = null] = await sentinel.run([['SENTINEL', 'get-master-addr-by-name', masterName]])
        const master = isErrorReply(reply) ? null : readMaster(reply)
        if (master !== null) return master
        reason = `sentinel ${addressText(address)} does not know the master "${masterName}"`
      } catch (error) {
        reason = messageOf(error)
      } finally {
        sentinel.close('the question was answered')
      }
    }
    throw new Error(`no master: ${reason}`)
  }

  async #runInCluster(groups: readonly HitCommands[]): Promise<readonly (readonly Reply[])[]> {
    const slots = await this.#slotMap()
    const runs = groups.map((group) => this.#runKey(group, slots))
    const settled = await Promise.allSettled(runs)
    return settled.map((result) => {
      if (result.status === 'rejected') throw result.reason
      return result.value
    })
  }

  /** Runs the commands of one key, following redirections: a redirected command has had no effect. */
  async #runKey({ key, commands }: HitCommands, slots: SlotMap): Promise<readonly Reply[]> {
    let address = slots[keySlot(key)]
    let isAsking = false
    for (let attempt = 0; attempt <= maxRedirections; attempt++) {
      if (address === undefined) {
        this.#slots = undefined
        throw new Error('CLUSTERDOWN Hash slot not served')
      }
      const replies = await this.#runAt(address, commands, isAsking)
      const failure = replies.find(isErrorReply)
      if (failure === undefined) return replies
      const redirection = readRedirection(failure.error, address)
      if (redirection === null) this.#refused(failure.error, address)
      if (redirection.kind === 'MOVED') this.#slots = undefined
      isAsking = redirection.kind === 'ASK'
      address = redirection.address
    }
    throw new Error(`redis cluster: more than ${maxRedirections} redirections of one key`)
  }

  async #runAt(address: Address, commands: readonly Command[], isAsking: boolean): Promise<readonly Reply[]> {
    try {
      const node = this.#node(address)
      if (!isAsking) return await node.run(commands)
      // ASKING holds for the next command only.
      const replies = await node.run(commands.flatMap((command) => [['ASKING'], command]))
      return replies.filter((_, index) => index % 2 === 1)
    } catch (error) {
      this.#slots = undefined
      throw error
    }
  }

  #slotMap(): Promise<SlotMap> {
    this.#slots ??= this.#findSlots().catch((error: unknown) => {
      this.#slots = undefined
      throw error
    })
    return this.#slots
  }

  async #findSlots(): Promise<SlotMap> {
    let reason = 'no node was asked'
    for (const address of this.#address.servers) {
      try {
        const [reply = null] = await this.#node(address).run([['CLUSTER', 'SLOTS']])
        if (!isErrorReply(reply)) return readSlots(reply, address)
        reason = reply.error
      } catch (error) {
        reason = messageOf(error)
      }
    }
    throw new Error(`no cluster: ${reason}`)
  }

  #node(address: Endpoint): RedisNode {
    const name = addressText(address)
    const known = this.#nodes.get(name)
    if (known !== undefined) return known
    const node = new RedisNode(address, this.#nodeOptions(this.#address.credentials))
    this.#nodes.set(name, node)
    return node
  }

  #nodeOptions(credentials: StoreAddress['credentials']): NodeOptions {
    const { timeoutMs, flushMs, flushLimit, relay } = this.#options
    return {
      tls: this.#address.tls,
      relay,
      credentials,
      timeoutMs,
      flushMs,
      flushLimit,
      onConnections: (change) => {
        this.connections.active += change
        if (change === 1) this.connections.total++
      },
    }
  }
}

/** Runs one command for every item, in one pipeline for each store; replies in the order of the items. */
export async function runByStore<Item extends { readonly unit: Unit }>(
  items: readonly Item[],
  storeOf: (unit: Unit) => RedisStore,
  commandsOf: (item: Item) => HitCommands,
): Promise<readonly (Reply | undefined)[]> {
  const replies: (Reply | undefined)[] = new Array(items.length)
  const runs = [...new Set(items.map(({ unit }) => storeOf(unit)))].map(async (store) => {
    const own = [...items.entries()].filter(([, { unit }]) => storeOf(unit) === store)
    const answers = await store.run(own.map(([, item]) => commandsOf(item)))
    for (const [index, [at]] of own.entries()) replies[at] = answers[index]?.[0]
  })
  await Promise.all(runs)
  return replies
}

/** A sentinel's connection lasts one question and is not part of the pool. */
function uncounted(): void {}
