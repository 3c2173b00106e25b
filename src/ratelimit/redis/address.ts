/** Addresses and credentials of one Redis store, read from its settings. */

import { encodeUtf8 } from '#base/utf8.ts'
import { invalidSettings } from '../errors.ts'
import type { SettingValues } from '../setting-table.ts'

/** One server. */
export interface Address {
  readonly host: string
  readonly port: number
}

/** Address of a server; one of this machine may listen on a UNIX socket, whose path it is. */
export type Endpoint = Address | { readonly path: string }

/** The user and password of `AUTH`; an absent user is the default one. */
export interface Credentials {
  readonly user?: string
  readonly password: string
}

/** Addresses and credentials of one store. */
export interface StoreAddress {
  readonly kind: 'single' | 'sentinel' | 'cluster'
  /** The server, the sentinels, or some nodes of the cluster; at least one, but for a server on a UNIX socket. */
  readonly servers: readonly Address[]
  /** The one server's UNIX socket; then there is no other server. */
  readonly socketPath?: string
  /** The master's name; only with sentinels. */
  readonly masterName?: string
  readonly credentials?: Credentials
  readonly sentinelCredentials?: Credentials
  readonly tls: boolean
}

/**
 * Reads the address of one store.
 *
 * Its URL is one `host:port` (or `redis://user:password@host:port`), `master,sentinel:port,...` or a list of
 * cluster nodes. A port left out is 6379, for sentinels 26379. With the socket type `unix` it is an absolute path.
 *
 * @throws RatelimitError invalid_settings when the address is not one of these; the message shows no credentials.
 */
export function readStoreAddress(values: SettingValues, prefix: 'REDIS' | 'REDIS_PERSECOND'): StoreAddress {
  const { [`${prefix}_TYPE` as const]: type, [`${prefix}_URL` as const]: url } = values
  const { [`${prefix}_AUTH` as const]: auth, [`${prefix}_TLS` as const]: tls } = values
  const sentinelAuth = values[`${prefix}_SENTINEL_AUTH`]
  if (type === 'single' && values[`${prefix}_SOCKET_TYPE`] === 'unix') {
    return {
      kind: 'single',
      servers: [],
      socketPath: checkSocketPath(prefix, url),
      tls,
      ...(auth !== '' && { credentials: parseAuth(auth) }),
    }
  }
  const parts = url.split(',').map((part) => part.trim())
  const isSentinel = type === 'sentinel'
  const targets = (isSentinel ? parts.slice(1) : parts).map((part) => parseTarget(prefix, part, isSentinel))
  const [first] = targets
  if (first === undefined) {
    throw invalidSettings(
      `${prefix}_URL names no sentinel, expected master name and a list of urls for the sentinels, in the format: <redis master name>,<sentinel1>,...,<sentineln>`,
    )
  }
  const credentials = auth === '' ? first.credentials : parseAuth(auth)
  return {
    kind: type,
    servers: targets.map(({ address }) => address),
    tls: tls || first.tls,
    ...(isSentinel && { masterName: parts[0] ?? '' }),
    ...(credentials && { credentials }),
    ...(sentinelAuth !== '' && { sentinelCredentials: parseAuth(sentinelAuth) }),
  }
}

/** The longest path of a UNIX socket in bytes; the system keeps it in 108, with a zero at the end. */
const maxSocketPath = 107

function checkSocketPath(prefix: string, url: string): string {
  const { length } = encodeUtf8(url)
  if (url.startsWith('/') && length <= maxSocketPath) return url
  // The text may hold a password, so it is not shown.
  throw invalidSettings(
    `${prefix}_URL is ${url.startsWith('/') ? `a path of ${length} bytes` : 'not an absolute path'}, expected the path of a UNIX socket in at most ${maxSocketPath} bytes as ${prefix}_SOCKET_TYPE is "unix", or ${prefix}_SOCKET_TYPE=tcp and host:port`,
  )
}

/** Reads `password` or `user:password`. */
function parseAuth(text: string): Credentials {
  const at = text.indexOf(':')
  return at < 0 ? { password: text } : { user: text.slice(0, at), password: text.slice(at + 1) }
}

/** `rediss://user:password@host:port/`, of which only the host must be there; IPv6 addresses are in brackets. */
const target = /^(?:(rediss?):\/\/(?:([^@/]*)@)?)?(\[[0-9a-fA-F:.]+\]|[^:/@[\]]+)(?::(\d{1,5}))?\/?$/

function parseTarget(prefix: string, text: string, isSentinel: boolean) {
  const match = target.exec(text)
  const port = Number(match?.[4] ?? (isSentinel ? 26_379 : 6_379))
  const host = match?.[3]
  if (host === undefined || port < 1 || port > 65_535) {
    // The text may hold a password, so it is not shown.
    throw invalidSettings(
      `${prefix}_URL has an address that is not host:port, expected for example redis.example.net:6379`,
    )
  }
  const auth = match?.[2]
  return {
    address: { host, port },
    tls: match?.[1] === 'rediss',
    ...(auth !== undefined && auth !== '' && { credentials: parseAuth(decodeAuth(prefix, auth)) }),
  }
}

function decodeAuth(prefix: string, auth: string): string {
  try {
    return decodeURIComponent(auth)
  } catch {
    throw invalidSettings(
      `the user or password in ${prefix}_URL is not percent-encoded UTF-8, expected for example %25 in place of %`,
    )
  }
}
