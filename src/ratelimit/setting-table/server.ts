/** Listeners of the local server, their limits and TLS, and the log. */

import { logVariables } from '../../base/log-settings.ts'
import { flag, text } from '../../base/variables.ts'
import { duration, port, positive, wait } from '../setting-readers.ts'
import { honoured, local, row } from './setting-row.ts'

/** Listeners of the local server, their limits and TLS, and the log. */
export const serverSettings = {
  HOST: row(text('0.0.0.0'), local),
  PORT: row(port(8080), local),
  GRPC_HOST: row(text('0.0.0.0'), local),
  GRPC_PORT: row(port(8081), local),
  GRPC_UDS: row(text(''), local),
  DEBUG_HOST: row(text('0.0.0.0'), local),
  DEBUG_PORT: row(port(6070), local),
  GRPC_MAX_CONNECTION_AGE: row(duration(86_400_000), local),
  GRPC_MAX_CONNECTION_AGE_GRACE: row(duration(3_600_000), local),
  GRPC_MAX_CONNECTIONS: row(positive(1_000), local),
  GRPC_MAX_CONNECTION_IDLE: row(wait(600_000), local),
  GRPC_MAX_CALLS: row(positive(10_000), local),
  GRPC_MAX_BUFFERED_BYTES: row(positive(67_108_864), local),
  GRPC_MESSAGE_TIMEOUT: row(wait(30_000), local),
  GRPC_SERVER_USE_TLS: row(flag(false), local),
  GRPC_SERVER_TLS_CERT: row(text(''), local),
  GRPC_SERVER_TLS_KEY: row(text(''), local),
  GRPC_CLIENT_TLS_CACERT: row(text(''), local),
  GRPC_CLIENT_TLS_SAN: row(text(''), local),
  LOG_LEVEL: row(logVariables.LOG_LEVEL, honoured),
  LOG_FORMAT: row(logVariables.LOG_FORMAT, honoured),
} as const
