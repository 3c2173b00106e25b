/** A Redis cluster: runs the commands of each key at the server of its slot, and follows redirections. */

import { messageOf } from '#base/errors.ts'
import type { Address } from '#ratelimit/redis/address.ts'
import type { Command, HitCommands } from '#ratelimit/redis/commands.ts'
import { isErrorReply, type Reply } from '#ratelimit/redis/resp.ts'
import { keySlot } from '#ratelimit/redis/slot.ts'
import { readRedirection, readSlots, type SlotMap } from '#ratelimit/redis/topology.ts'
import type { RedisNode } from './server.ts'

/** Redirections that the commands of a key follow before the cluster is taken to be at odds. */
const maxRedirections = 5

interface ClusterNodes {
  readonly nodeAt: (address: Address) => RedisNode
  /** Throws the error that a server answered with. */
  readonly refuse: (text: string, address: Address) => never
}

/** A server, and whether it takes the commands of a slot that is on its way to it only after ASKING. */
interface Place {
  readonly address: Address
  readonly isAsking: boolean
}

/** The cluster of a store. */
export type RedisCluster = ReturnType<typeof redisCluster>

/** Opens a cluster by some of its servers; its slots are asked for at the first command, and again after a failure. */
export function redisCluster(servers: readonly Address[], { nodeAt, refuse }: ClusterNodes) {
  let slots: Promise<SlotMap> | undefined

  async function findSlots(): Promise<SlotMap> {
    let reason = 'no node was asked'
    for (const address of servers) {
      try {
        const [reply = null] = await nodeAt(address).run([['CLUSTER', 'SLOTS']])
        if (!isErrorReply(reply)) return readSlots(reply, address)
        reason = reply.error
      } catch (error) {
        reason = messageOf(error)
      }
    }
    throw new Error(`no cluster: ${reason}`)
  }

  function readSlotMap(): Promise<SlotMap> {
    slots ??= findSlots().catch((error: unknown) => {
      slots = undefined
      throw error
    })
    return slots
  }

  async function runAt({ address, isAsking }: Place, commands: readonly Command[]): Promise<readonly Reply[]> {
    try {
      const node = nodeAt(address)
      if (!isAsking) return await node.run(commands)
      // ASKING holds for the next command only.
      const replies = await node.run(commands.flatMap((command) => [['ASKING'], command]))
      return replies.filter((_, index) => index % 2 === 1)
    } catch (error) {
      slots = undefined
      throw error
    }
  }

  /** Runs the commands of one key, following redirections: a redirected command has had no effect. */
  async function runKey({ key, commands }: HitCommands, map: SlotMap): Promise<readonly Reply[]> {
    const address = map[keySlot(key)]
    if (address === undefined) {
      slots = undefined
      throw new Error('CLUSTERDOWN Hash slot not served')
    }
    let place: Place = { address, isAsking: false }
    for (let attempt = 0; attempt <= maxRedirections; attempt++) {
      const replies = await runAt(place, commands)
      const failure = replies.find(isErrorReply)
      if (failure === undefined) return replies
      const redirection = readRedirection(failure.error, place.address)
      if (redirection === null) return refuse(failure.error, place.address)
      if (redirection.kind === 'MOVED') slots = undefined
      place = { address: redirection.address, isAsking: redirection.kind === 'ASK' }
    }
    throw new Error(`redis cluster: more than ${maxRedirections} redirections of one key`)
  }

  return {
    /** Runs the commands of several keys; all of them run, also after one failed. */
    async run(groups: readonly HitCommands[]): Promise<readonly (readonly Reply[])[]> {
      const map = await readSlotMap()
      const settled = await Promise.allSettled(groups.map((group) => runKey(group, map)))
      return settled.map((result) => {
        if (result.status === 'rejected') throw result.reason
        return result.value
      })
    },
  }
}
