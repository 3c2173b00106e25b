/** Sentinels of Redis: which server is the master now. */

import { messageOf } from '#base/errors.ts'
import type { Address, StoreAddress } from '#ratelimit/redis/address.ts'
import { isErrorReply } from '#ratelimit/redis/resp.ts'
import { addressText, readMaster } from '#ratelimit/redis/topology.ts'
import { type NodeOptions, RedisNode } from './server.ts'

/**
 * Asks one sentinel after the other for the master.
 *
 * @throws Error with the last reason when none of them knows it.
 */
export async function findMaster({ servers, masterName = '' }: StoreAddress, options: NodeOptions): Promise<Address> {
  let reason = 'no sentinel was asked'
  for (const address of servers) {
    const sentinel = new RedisNode(address, { ...options, onConnections: uncounted })
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

/** A sentinel's connection lasts one question and is not part of the pool. */
function uncounted(): void {}
