/** The memcached servers in use: those of the settings, or of a DNS service record that is looked up again. */

import { parseServers, readServiceRecords, type Server } from '#ratelimit/memcache/servers.ts'
import type { SettingValues } from '#ratelimit/setting-table.ts'

interface ServerList {
  readonly servers: readonly Server[]
  readonly at: number
}

/** Milliseconds that a lookup of the service record may take. */
const lookupTimeoutMs = 3_000

/**
 * Makes the list of one object.
 *
 * A record that is due again (`MEMCACHE_SRV_REFRESH`) is looked up while the request goes on with the old list, and a
 * lookup that fails leaves that list in use. Only the first request waits for its lookup.
 *
 * @param onFailure - called after a lookup that failed.
 * @returns the servers in use now, in the order that decides which of them holds a key; none before a first lookup
 *   has worked.
 */
export function serverList(values: SettingValues, onFailure: () => void): () => Promise<readonly Server[]> {
  const { MEMCACHE_HOST_PORT, MEMCACHE_SRV, MEMCACHE_SRV_REFRESH, MEMCACHE_SRV_RESOLVER } = values
  let list: ServerList | undefined
  let lookup: Promise<ServerList> | undefined

  async function lookUp(): Promise<ServerList> {
    try {
      list = { servers: await resolve(MEMCACHE_SRV_RESOLVER, MEMCACHE_SRV), at: Date.now() }
    } catch {
      onFailure()
    }
    return list ?? { servers: [], at: 0 }
  }

  return async () => {
    if (MEMCACHE_SRV === '') {
      list ??= { servers: parseServers(MEMCACHE_HOST_PORT), at: 0 }
      return list.servers
    }
    const isDue = MEMCACHE_SRV_REFRESH > 0 && Date.now() - (list?.at ?? 0) >= MEMCACHE_SRV_REFRESH
    if (list !== undefined && !isDue) return list.servers
    lookup ??= lookUp().finally(() => {
      lookup = undefined
    })
    return list === undefined ? (await lookup).servers : list.servers
  }
}

/** Asks a resolver for a service record over HTTPS, in its JSON form. */
async function resolve(resolver: string, name: string): Promise<readonly Server[]> {
  const response = await fetch(`${resolver}?name=${encodeURIComponent(name)}&type=SRV`, {
    headers: { accept: 'application/dns-json' },
    signal: AbortSignal.timeout(lookupTimeoutMs),
  })
  return readServiceRecords(await response.json())
}
