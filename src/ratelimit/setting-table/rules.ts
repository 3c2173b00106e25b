/** Where rules come from: a runtime directory, or xDS, which has no effect here. */

import { choice, flag, text } from '../../base/variables.ts'
import { duration, ratio, whole } from '../setting-readers.ts'
import { local, row, without } from './setting-row.ts'

const noStream =
  'xDS is a gRPC stream both ways, which no fetch of a Worker speaks; rules arrive through the operator plane'

/** Rules by xDS. */
export const xdsSettings = {
  CONFIG_TYPE: row(
    choice('FILE', ['FILE', 'GRPC_XDS_SOTW']),
    without(`${noStream}; GRPC_XDS_SOTW is an error`),
  ),
  FORCE_START_WITHOUT_INITIAL_CONFIG: row(
    flag(false),
    without('a Worker always starts; without rules it answers an error'),
  ),
  CONFIG_GRPC_XDS_NODE_ID: row(text('default'), without(noStream)),
  CONFIG_GRPC_XDS_NODE_METADATA: row(text(''), without(noStream)),
  CONFIG_GRPC_XDS_SERVER_URL: row(text('localhost:18000'), without(noStream)),
  CONFIG_GRPC_XDS_SERVER_CONNECT_RETRY_INTERVAL: row(duration(3_000), without(noStream)),
  CONFIG_GRPC_XDS_CLIENT_ADDITIONAL_HEADERS: row(text(''), without(noStream), { isSecret: true }),
  CONFIG_GRPC_XDS_SERVER_USE_TLS: row(flag(false), without(noStream)),
  CONFIG_GRPC_XDS_CLIENT_TLS_CERT: row(text(''), without(noStream)),
  CONFIG_GRPC_XDS_CLIENT_TLS_KEY: row(text(''), without(noStream)),
  CONFIG_GRPC_XDS_SERVER_TLS_CACERT: row(text(''), without(noStream)),
  CONFIG_GRPC_XDS_SERVER_TLS_SAN: row(text(''), without(noStream)),
  XDS_CLIENT_BACKOFF_INITIAL_INTERVAL: row(duration(10_000), without(noStream)),
  XDS_CLIENT_BACKOFF_MAX_INTERVAL: row(duration(60_000), without(noStream)),
  XDS_CLIENT_BACKOFF_RANDOM_FACTOR: row(ratio(0.5), without(noStream)),
  XDS_CLIENT_BACKOFF_JITTER: row(flag(true), without(noStream)),
  XDS_CLIENT_MAX_MSG_SIZE_IN_BYTES: row(whole(0), without(noStream)),
} as const

/** Rules in a runtime directory. */
export const runtimeSettings = {
  RUNTIME_ROOT: row(text('/srv/runtime_data/current'), local),
  RUNTIME_SUBDIRECTORY: row(text(''), local),
  RUNTIME_APPDIRECTORY: row(text('config'), local),
  RUNTIME_IGNOREDOTFILES: row(flag(false), local),
  RUNTIME_WATCH_ROOT: row(flag(true), local),
} as const
