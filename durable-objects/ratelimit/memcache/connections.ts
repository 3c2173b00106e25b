/** The connections of one object to memcached servers: one command is sent, and its answer or its failure comes back. */

import { messageOf } from '#base/errors.ts'
import { type Server, serverText } from '#ratelimit/memcache/servers.ts'
import { type Answer, encodeVersion } from '#ratelimit/memcache/text.ts'
import type { SettingValues } from '#ratelimit/setting-table.ts'
import { goesThroughRelay, readStoreTls } from '#ratelimit/store-connections.ts'
import type { RelayTarget, Target } from '../../base/dial.ts'
import { MemcacheNode } from './server.ts'

/** Makes the connections of one object; each is opened by the first command that goes over it. */
export function memcacheConnections(values: SettingValues, relay: Fetcher | undefined) {
  const nodes = new Map<string, MemcacheNode>()

  function node(server: Server): MemcacheNode {
    const name = serverText(server)
    const known = nodes.get(name)
    if (known !== undefined) return known
    const added = new MemcacheNode(target(server), Math.max(1, values.MEMCACHE_MAX_IDLE_CONNS))
    nodes.set(name, added)
    return added
  }

  function target(server: Server): Target | RelayTarget {
    const tls = values.MEMCACHE_TLS
    const isRelayed = goesThroughRelay({ isSocket: 'path' in server, isTls: tls }, readStoreTls(values))
    if (isRelayed && relay !== undefined) return { ...server, tls, relay }
    if ('path' in server) throw new Error('no relay reaches it')
    return { ...server, tls }
  }

  return {
    /** Sends one command; a failure comes back as an answer of kind `error` that names the server. */
    async ask(server: Server | undefined, command: Uint8Array): Promise<Answer> {
      if (server === undefined) return { kind: 'error', message: 'no memcached server is known' }
      try {
        const [answer] = await node(server).send(command, 1)
        if (answer === undefined) return failure(server, 'no answer')
        return answer.kind === 'error' ? failure(server, answer.message) : answer
      } catch (error) {
        return failure(server, messageOf(error))
      }
    },
    /** Says what is wrong when none of these servers answers; null when at least one does. */
    problem(servers: readonly Server[]): Promise<string | null> {
      const tries = servers.map(async (server) => node(server).send(encodeVersion(), 1))
      return Promise.any(tries).then(
        () => null,
        () => (servers.length === 0 ? 'no memcached server is known' : 'no memcached server answers'),
      )
    },
  }
}

function failure(server: Server, state: string): Answer {
  return { kind: 'error', message: `memcached ${serverText(server)}: ${state}` }
}
