/**
 * Connections to a store. A Worker opens TCP connections and trusts public authorities; for a UNIX socket, a private
 * authority or a client certificate it needs the relay that `npm start` offers (`bin/store-relay`).
 */

import { RatelimitError } from './errors.ts'
import { parseServers } from './memcache/servers.ts'
import { readStoreAddress, type StoreAddress } from './redis/address.ts'
import type { SettingName, SettingValues } from './setting-table.ts'

/** The stores of a deployment with Redis: one for all limits, or a second one for limits of a second. */
export interface RedisStores {
  readonly main: StoreAddress
  readonly perSecond: StoreAddress | null
}

/** The files and options of TLS towards a store; an empty path means that there is no file. */
export interface StoreTls {
  /** `REDIS` or `MEMCACHE`, for messages. */
  readonly prefix: 'REDIS' | 'MEMCACHE'
  readonly certificate: string
  readonly key: string
  /** Authorities to trust beside the public ones. */
  readonly authority: string
  /** True when the certificate may be of any name; its authority is checked all the same. */
  readonly anyName: boolean
}

/**
 * Reads the addresses of Redis.
 *
 * @throws RatelimitError as `readStoreAddress` does.
 */
export function readRedisStores(values: SettingValues): RedisStores {
  const main = readStoreAddress({
    prefix: 'REDIS',
    socketType: values.REDIS_SOCKET_TYPE,
    type: values.REDIS_TYPE,
    url: values.REDIS_URL,
    auth: values.REDIS_AUTH,
    sentinelAuth: values.REDIS_SENTINEL_AUTH,
    tls: values.REDIS_TLS,
  })
  if (!values.REDIS_PERSECOND) return { main, perSecond: null }
  const perSecond = readStoreAddress({
    prefix: 'REDIS_PERSECOND',
    socketType: values.REDIS_PERSECOND_SOCKET_TYPE,
    type: values.REDIS_PERSECOND_TYPE,
    url: values.REDIS_PERSECOND_URL,
    auth: values.REDIS_PERSECOND_AUTH,
    sentinelAuth: values.REDIS_PERSECOND_SENTINEL_AUTH,
    tls: values.REDIS_PERSECOND_TLS,
  })
  return { main, perSecond }
}

/** The TLS settings of the back end in use that a Worker's own sockets cannot honour; null when none is set. */
export function readStoreTls(values: SettingValues): StoreTls | null {
  const tls: StoreTls =
    values.BACKEND_TYPE === 'memcache'
      ? {
          prefix: 'MEMCACHE',
          certificate: values.MEMCACHE_TLS_CLIENT_CERT,
          key: values.MEMCACHE_TLS_CLIENT_KEY,
          authority: values.MEMCACHE_TLS_CACERT,
          anyName: values.MEMCACHE_TLS_SKIP_HOSTNAME_VERIFICATION,
        }
      : {
          prefix: 'REDIS',
          certificate: values.REDIS_TLS_CLIENT_CERT,
          key: values.REDIS_TLS_CLIENT_KEY,
          authority: values.REDIS_TLS_CACERT,
          anyName: values.REDIS_TLS_SKIP_HOSTNAME_VERIFICATION,
        }
  return namesSet(tls).length > 0 ? tls : null
}

/** One store or server, as far as it decides the way to it. */
interface Way {
  readonly isSocket: boolean
  readonly tls: boolean
  /** The setting that asks for a UNIX socket, and its state. */
  readonly asked: string
}

/** Tells whether connections of a store go through the relay. */
export function goesThroughRelay({ isSocket, tls }: Pick<Way, 'isSocket' | 'tls'>, storeTls: StoreTls | null): boolean {
  return isSocket || (tls && storeTls !== null)
}

/**
 * Tells whether any connection of the back end in use goes through the relay.
 *
 * @throws RatelimitError as `readRedisStores` does.
 * @throws RatelimitError as `parseServers` does.
 */
export function needsRelay(values: SettingValues): boolean {
  const storeTls = readStoreTls(values)
  return listWays(values).some((way) => goesThroughRelay(way, storeTls))
}

/**
 * Checks the addresses of the back end in use and the ways to them.
 *
 * @param hasRelay - whether the process that hosts the Worker offers the relay.
 * @throws RatelimitError invalid_settings when settings contradict each other, or need a relay where there is none.
 */
export function assertReachable(values: SettingValues, hasRelay: boolean): void {
  if (values.BACKEND_TYPE === 'durable-object') return
  const ways = listWays(values)
  const storeTls = readStoreTls(values)
  if (storeTls !== null) assertTls(storeTls, ways, hasRelay)
  const socket = ways.find(({ isSocket }) => isSocket)
  if (socket === undefined) return
  if (!hasRelay) throw invalid(`${socket.asked}, expected host:port over TCP: ${noRelay} UNIX sockets`)
  if (socket.tls && storeTls?.anyName !== true) {
    throw invalid(
      `${socket.asked} with TLS, and a path is not a name that a certificate could have, expected ${prefixOf(values)}_TLS_SKIP_HOSTNAME_VERIFICATION=true beside it`,
    )
  }
}

const noRelay = 'only "npm start" reaches stores over'

function assertTls(tls: StoreTls, ways: readonly Way[], hasRelay: boolean): void {
  const [name = ''] = namesSet(tls)
  if (!hasRelay) {
    throw invalid(
      `${name} is set, expected it empty: a Worker's sockets trust only public certificates and present none; "npm start" has a relay that does`,
    )
  }
  if ((tls.certificate === '') !== (tls.key === '')) {
    throw invalid(`${tls.prefix}_TLS_CLIENT_CERT and ${tls.prefix}_TLS_CLIENT_KEY: one is set, expected both or none`)
  }
  if (!ways.some((way) => way.tls)) {
    throw invalid(`${name} is set and TLS is off, expected ${tls.prefix}_TLS=true beside it`)
  }
}

/** The settings of this TLS that are not at their defaults, by their names. */
function namesSet({ prefix, certificate, key, authority, anyName }: StoreTls): readonly SettingName[] {
  return [
    ...(certificate === '' ? [] : [`${prefix}_TLS_CLIENT_CERT` as const]),
    ...(key === '' ? [] : [`${prefix}_TLS_CLIENT_KEY` as const]),
    ...(authority === '' ? [] : [`${prefix}_TLS_CACERT` as const]),
    ...(anyName ? [`${prefix}_TLS_SKIP_HOSTNAME_VERIFICATION` as const] : []),
  ]
}

function prefixOf({ BACKEND_TYPE: backend }: SettingValues): string {
  return backend === 'memcache' ? 'MEMCACHE' : 'REDIS'
}

function listWays(values: SettingValues): readonly Way[] {
  if (values.BACKEND_TYPE === 'redis') {
    const { main, perSecond } = readRedisStores(values)
    return [
      toWay(main, 'REDIS_SOCKET_TYPE is "unix"'),
      ...(perSecond === null ? [] : [toWay(perSecond, 'REDIS_PERSECOND_SOCKET_TYPE is "unix"')]),
    ]
  }
  if (values.BACKEND_TYPE === 'durable-object') return []
  // Servers that a service record lists have hosts and ports.
  const servers = values.MEMCACHE_SRV === '' ? parseServers(values.MEMCACHE_HOST_PORT) : [{ host: '', port: 0 }]
  return servers.map((server) => ({
    isSocket: 'path' in server,
    tls: values.MEMCACHE_TLS,
    asked: 'MEMCACHE_HOST_PORT has the path of a UNIX socket',
  }))
}

function toWay({ socketPath, tls }: StoreAddress, asked: string): Way {
  return { isSocket: socketPath !== undefined, tls, asked }
}

function invalid(state: string): RatelimitError {
  return new RatelimitError('invalid_settings', `Cannot read settings: ${state}`)
}
