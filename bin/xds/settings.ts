/** The control plane that the CONFIG_GRPC_XDS_ settings name. */

import type { DiscoveryNode } from '#proto-json/xds.ts'
import type { Backoff } from '#ratelimit/config/xds.ts'
import type { SettingValues } from '#ratelimit/setting-table.ts'

/** Address of a control plane, and how this client presents itself. */
export interface ControlPlane {
  /** `host:port`. */
  readonly target: string
  readonly node: DiscoveryNode
  readonly headers: ReadonlyMap<string, string>
  /** Null for cleartext. */
  readonly tls: ControlPlaneTls | null
  readonly maxMessageBytes: number
  readonly backoff: Backoff
}

/** Paths of PEM files, read anew for each stream, so that a certificate can be rotated; empty for none. */
export interface ControlPlaneTls {
  readonly certificate: string
  readonly key: string
  /** Authorities that are trusted beside those of Node. */
  readonly authorities: string
  /** The name that the server's certificate must have; empty for that of the target. */
  readonly serverName: string
}

/** Reads the settings of the control plane. */
export function readControlPlane(values: SettingValues): ControlPlane {
  const target = values.CONFIG_GRPC_XDS_SERVER_URL.replace(/^dns:\/\/\//, '')
  if (!/^(\[[0-9a-fA-F:.]+\]|[^\s:/@?#[\]]+):\d{1,5}$/.test(target)) {
    throw new Error(`Cannot read settings: CONFIG_GRPC_XDS_SERVER_URL is "${target}", expected host:port`)
  }
  return {
    target,
    node: { id: values.CONFIG_GRPC_XDS_NODE_ID, metadata: Object.fromEntries(values.CONFIG_GRPC_XDS_NODE_METADATA) },
    headers: values.CONFIG_GRPC_XDS_CLIENT_ADDITIONAL_HEADERS,
    tls: values.CONFIG_GRPC_XDS_SERVER_USE_TLS ? readTls(values) : null,
    maxMessageBytes: values.XDS_CLIENT_MAX_MSG_SIZE_IN_BYTES,
    backoff: {
      initialMs: values.XDS_CLIENT_BACKOFF_INITIAL_INTERVAL,
      maxMs: values.XDS_CLIENT_BACKOFF_MAX_INTERVAL,
      factor: values.XDS_CLIENT_BACKOFF_RANDOM_FACTOR,
      hasJitter: values.XDS_CLIENT_BACKOFF_JITTER,
    },
  }
}

function readTls(values: SettingValues): ControlPlaneTls {
  const { CONFIG_GRPC_XDS_CLIENT_TLS_CERT: certificate, CONFIG_GRPC_XDS_CLIENT_TLS_KEY: key } = values
  if ((certificate === '') !== (key === '')) {
    throw new Error(
      'Cannot read settings: one of CONFIG_GRPC_XDS_CLIENT_TLS_CERT and CONFIG_GRPC_XDS_CLIENT_TLS_KEY is set, expected both or none',
    )
  }
  return {
    certificate,
    key,
    authorities: values.CONFIG_GRPC_XDS_SERVER_TLS_CACERT,
    serverName: values.CONFIG_GRPC_XDS_SERVER_TLS_SAN,
  }
}
