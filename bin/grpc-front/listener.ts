/** Address, certificate and limits of a front's listener, from the settings of the reference. */

import { readFileSync } from 'node:fs'
import type { SettingValues } from '#ratelimit/setting-table.ts'
import type { FrontTls } from './server.ts'

/** Reads the socket, certificates, ages and bounds of native gRPC from its settings; the caller has host and port. */
export function readListener(settings: SettingValues) {
  const tls = readTls(settings)
  return {
    age: { maxAgeMs: settings.GRPC_MAX_CONNECTION_AGE, graceMs: settings.GRPC_MAX_CONNECTION_AGE_GRACE },
    bounds: {
      messageWithinMs: settings.GRPC_MESSAGE_TIMEOUT,
      maxCalls: settings.GRPC_MAX_CALLS,
      maxBufferedBytes: settings.GRPC_MAX_BUFFERED_BYTES,
      maxConnections: settings.GRPC_MAX_CONNECTIONS,
      idleMs: settings.GRPC_MAX_CONNECTION_IDLE,
    },
    ...(settings.GRPC_UDS === '' ? {} : { socket: settings.GRPC_UDS }),
    ...(tls === null ? {} : { tls }),
  }
}

/** Settings of a front. */
export type Listener = ReturnType<typeof readListener>

function readTls(settings: SettingValues): FrontTls | null {
  if (!settings.GRPC_SERVER_USE_TLS) return null
  const { GRPC_CLIENT_TLS_CACERT: clientCa, GRPC_CLIENT_TLS_SAN: clientSan } = settings
  return {
    cert: readPem('GRPC_SERVER_TLS_CERT', settings.GRPC_SERVER_TLS_CERT),
    key: readPem('GRPC_SERVER_TLS_KEY', settings.GRPC_SERVER_TLS_KEY),
    ...(clientCa === '' ? {} : { clientCa: readPem('GRPC_CLIENT_TLS_CACERT', clientCa) }),
    ...(clientSan === '' ? {} : { clientSan }),
  }
}

function readPem(name: string, path: string): Buffer {
  try {
    return readFileSync(path)
  } catch {
    throw new Error(`Cannot start: ${name} is "${path}", expected a file that can be read`)
  }
}
