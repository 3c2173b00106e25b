/**
 * Connections to a store. A Worker opens TCP connections and trusts public authorities; for a UNIX socket, a private
 * authority or a client certificate it needs the relay that `npm start` offers (`bin/store-relay`).
 */

import { invalidSettings } from './errors.ts'
import { parseServers } from './memcache/servers.ts'
import { readStoreAddress } from './redis/address.ts'
import type { SettingName, SettingValues } from './setting-table.ts'

/** The files and options of TLS towards a store; an empty path means that there is no file. */
export interface StoreTls {
  /** `REDIS` or `MEMCACHE`, for messages. */
  readonly prefix: 'REDIS' | 'MEMCACHE'
  readonly certificate: string
  readonly key: string
  /** Authorities to trust beside the public ones. */
  readonly authority: string
  /** True when the certificate may be of any name; its authority is checked all the same. */
  readonly acceptsAnyName: boolean
}

/**
 * Reads the addresses of Redis: one store for all limits, or a second one for limits of a second.
 *
 * @throws RatelimitError as `readStoreAddress` does.
 */
export function readRedisStores(values: SettingValues) {
  const perSecond = values.REDIS_PERSECOND ? readStoreAddress(values, 'REDIS_PERSECOND') : null
  return { main: readStoreAddress(values, 'REDIS'), perSecond }
}

/** The TLS settings of the back end in use that a Worker's own sockets cannot honour; null when none is set. */
export function readStoreTls(values: SettingValues): StoreTls | null {
  const prefix = choosePrefix(values)
  const tls = {
    prefix,
    certificate: values[`${prefix}_TLS_CLIENT_CERT`],
    key: values[`${prefix}_TLS_CLIENT_KEY`],
    authority: values[`${prefix}_TLS_CACERT`],
    acceptsAnyName: values[`${prefix}_TLS_SKIP_HOSTNAME_VERIFICATION`],
  }
  return firstNameSet(tls) === null ? null : tls
}

/** Tells whether connections of a store go through the relay. */
export function goesThroughRelay(
  { isSocket, isTls }: { readonly isSocket: boolean; readonly isTls: boolean },
  storeTls: StoreTls | null,
): boolean {
  return isSocket || (isTls && storeTls !== null)
}

/**
 * Tells whether any connection of the back end in use goes through the relay.
 *
 * @throws RatelimitError as `readRedisStores` does.
 * @throws RatelimitError as `parseServers` does.
 */
export function needsRelay(values: SettingValues): boolean {
  const storeTls = readStoreTls(values)
  return listConnections(values).some(({ socketSetting, isTls }) =>
    goesThroughRelay({ isSocket: socketSetting !== null, isTls }, storeTls),
  )
}

/**
 * Checks the addresses of the back end in use, and that this process can connect to them.
 *
 * @param hasRelay - whether the process that hosts the Worker offers the relay.
 * @throws RatelimitError invalid_settings when settings contradict each other, or need a relay where there is none.
 */
export function assertReachable(values: SettingValues, hasRelay: boolean): void {
  if (values.BACKEND_TYPE === 'durable-object') return
  const connections = listConnections(values)
  const storeTls = readStoreTls(values)
  if (storeTls !== null) assertStoreTls(storeTls, { isUsed: connections.some(({ isTls }) => isTls), hasRelay })
  for (const { socketSetting, isTls } of connections) {
    if (socketSetting === null) continue
    if (!hasRelay) {
      throw invalidSettings(
        `${socketSetting}, expected host:port over TCP: only "npm start" reaches stores over UNIX sockets`,
      )
    }
    if (isTls && storeTls?.acceptsAnyName !== true) {
      throw invalidSettings(
        `${socketSetting} with TLS, and a path is not a name that a certificate could have, expected ${choosePrefix(values)}_TLS_SKIP_HOSTNAME_VERIFICATION=true beside it`,
      )
    }
  }
}

function assertStoreTls(
  tls: StoreTls,
  { isUsed, hasRelay }: { readonly isUsed: boolean; readonly hasRelay: boolean },
): void {
  const name = firstNameSet(tls)
  if (!hasRelay) {
    throw invalidSettings(
      `${name} is set, expected it empty: a Worker's sockets trust only public certificates and present none; "npm start" has a relay that does`,
    )
  }
  if ((tls.certificate === '') !== (tls.key === '')) {
    throw invalidSettings(
      `${tls.prefix}_TLS_CLIENT_CERT and ${tls.prefix}_TLS_CLIENT_KEY: one is set, expected both or none`,
    )
  }
  if (!isUsed) throw invalidSettings(`${name} is set and TLS is off, expected ${tls.prefix}_TLS=true beside it`)
}

/** The first setting of this TLS that is not at its default, by its name. */
function firstNameSet({ prefix, certificate, key, authority, acceptsAnyName }: StoreTls): SettingName | null {
  if (certificate !== '') return `${prefix}_TLS_CLIENT_CERT`
  if (key !== '') return `${prefix}_TLS_CLIENT_KEY`
  if (authority !== '') return `${prefix}_TLS_CACERT`
  return acceptsAnyName ? `${prefix}_TLS_SKIP_HOSTNAME_VERIFICATION` : null
}

function choosePrefix({ BACKEND_TYPE: backend }: SettingValues): 'MEMCACHE' | 'REDIS' {
  return backend === 'memcache' ? 'MEMCACHE' : 'REDIS'
}

/** One store or server of the back end in use. */
interface StoreConnection {
  /** The setting that asks for a UNIX socket, and its state; null for a store over TCP. */
  readonly socketSetting: string | null
  readonly isTls: boolean
}

function listConnections(values: SettingValues): readonly StoreConnection[] {
  if (values.BACKEND_TYPE === 'durable-object') return []
  if (values.BACKEND_TYPE === 'redis') {
    const prefixes = values.REDIS_PERSECOND ? (['REDIS', 'REDIS_PERSECOND'] as const) : (['REDIS'] as const)
    return prefixes.map((prefix) => {
      const { socketPath, tls: isTls } = readStoreAddress(values, prefix)
      return { isTls, socketSetting: socketPath === undefined ? null : `${prefix}_SOCKET_TYPE is "unix"` }
    })
  }
  const isTls = values.MEMCACHE_TLS
  // Servers that a service record lists have hosts and ports.
  if (values.MEMCACHE_SRV !== '') return [{ isTls, socketSetting: null }]
  return parseServers(values.MEMCACHE_HOST_PORT).map((server) => ({
    isTls,
    socketSetting: 'path' in server ? 'MEMCACHE_HOST_PORT has the path of a UNIX socket' : null,
  }))
}
