/** One Redis store: runs commands at its one server, at the master of its sentinels, or in its cluster. */

import type { Endpoint, StoreAddress } from '#ratelimit/redis/address.ts'
import type { HitCommands } from '#ratelimit/redis/commands.ts'
import { isErrorReply, type Reply } from '#ratelimit/redis/resp.ts'
import { addressText } from '#ratelimit/redis/topology.ts'
import { type RedisCluster, redisCluster } from './cluster.ts'
import { findMaster } from './sentinel.ts'
import { type NodeOptions, RedisNode } from './server.ts'

interface StoreOptions extends Omit<NodeOptions, 'tls' | 'credentials' | 'onConnections'> {
  /** True to close the connection at a READONLY error, so that a replaced master is looked for. */
  readonly closeOnReadOnly: boolean
}

/** A store and its connections. */
export class RedisStore {
  readonly #address: StoreAddress
  readonly #options: StoreOptions
  readonly #nodes = new Map<string, RedisNode>()
  #master: Promise<Endpoint> | undefined
  readonly #cluster: RedisCluster
  /** Connections that are open now, and that were ever opened. */
  readonly connections = { active: 0, total: 0 }

  constructor(address: StoreAddress, options: StoreOptions) {
    this.#address = address
    this.#options = options
    this.#cluster = redisCluster(address.servers, {
      nodeAt: (server) => this.#node(server),
      refuse: (text, server) => this.#refused(text, server),
    })
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
    if (this.#address.kind === 'cluster') return this.#cluster.run(groups)
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
    this.#master ??= findMaster(this.#address, this.#nodeOptions(this.#address.sentinelCredentials)).catch(
      (error: unknown) => {
        this.#master = undefined
        throw error
      },
    )
    return this.#master
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
