/** `node bin/run.mjs grpc-front`: native gRPC on the usual port, decided here or forwarded as gRPC-Web to a Worker. */

import cluster from 'node:cluster'
import { readSettings } from '#ratelimit/settings.ts'
import { assertUpstream, parseWhole, runTool, stopSignal } from './command-line.ts'
import { connectDecider } from './decider/connect.ts'
import { type GrpcFrontOptions, startGrpcFront, stopGrpcFront } from './grpc-front/front.ts'
import { readListener } from './grpc-front/listener.ts'
import { readFronts, startFrontProcesses } from './grpc-front/processes.ts'

const usage = `Usage: sluice grpc-front [OPTION ...]

  --upstream URL       the service to forward to (http://127.0.0.1:8080)
  --host ADDRESS       address to listen on (GRPC_HOST, 0.0.0.0)
  --port PORT          port to listen on (GRPC_PORT, 8081; 0 for any)
  --max-message BYTES  the longest message in either direction (4194304)
  --fronts NUMBER      processes that share the port, each with all bounds (1; 64 at most)
  --quiet              print nothing but errors
  --help               print this

Environment: GRPC_HOST, GRPC_PORT, GRPC_UDS (a UNIX socket instead), GRPC_SERVER_USE_TLS,
GRPC_SERVER_TLS_CERT and GRPC_SERVER_TLS_KEY (files), GRPC_CLIENT_TLS_CACERT (file), GRPC_CLIENT_TLS_SAN,
GRPC_MAX_CONNECTIONS (1000), GRPC_MAX_CONNECTION_AGE (24h), GRPC_MAX_CONNECTION_AGE_GRACE (1h),
GRPC_MAX_CONNECTION_IDLE (10m), GRPC_MAX_CALLS (10000), GRPC_MAX_BUFFERED_BYTES (67108864),
GRPC_MESSAGE_TIMEOUT (30s), FRONT_TOKEN (of the service: with it the front decides by itself).
SIGINT, SIGTERM or SIGHUP: calls that run are finished within ten seconds, then exit code 0; 1 when it cannot start.
`

const options = {
  upstream: { type: 'string', default: 'http://127.0.0.1:8080' },
  host: { type: 'string' },
  port: { type: 'string' },
  'max-message': { type: 'string', default: '4194304' },
  fronts: { type: 'string', default: '1' },
  quiet: { type: 'boolean', default: false },
} as const

await runTool({ action: 'Cannot start', usage, options }, async (flags) => {
  assertUpstream(flags.upstream)
  const settings = readSettings(process.env, true)
  const listener = readListener(settings)
  const host = flags.host ?? settings.GRPC_HOST
  const port =
    flags.port === undefined ? settings.GRPC_PORT : parseWhole('Cannot start', '--port', flags.port, { most: 65_535 })
  const maxMessageBytes = parseWhole('Cannot start', '--max-message', flags['max-message'], { most: 2 ** 31 - 1 })
  const fronts = readFronts(flags.fronts)
  const stopped = stopSignal()
  const place = { host, port, ...listener, bounds: { ...listener.bounds, maxMessageBytes } }
  try {
    const running =
      fronts > 1 && cluster.isPrimary
        ? await startFrontProcesses(fronts, { command: 'grpc-front', socket: listener.socket })
        : await runFront(flags.upstream, place)
    const where = listener.socket ?? `${host}:${running.address.port}`
    const isFirst = cluster.isPrimary && !flags.quiet
    if (isFirst) console.log(`gRPC${listener.tls === undefined ? '' : ' over TLS'} on ${where} -> ${flags.upstream}`)
    await stopped
    await running.stop()
  } finally {
    // The connection to the first process would keep this one alive.
    cluster.worker?.disconnect()
  }
})

async function runFront(upstream: string, place: Omit<GrpcFrontOptions, 'upstream' | 'decider'>) {
  const { FRONT_TOKEN: token = '' } = process.env
  const decider = token === '' ? null : connectDecider({ url: upstream, token })
  const front = await startGrpcFront({ upstream, decider, ...place }).catch(async (error: unknown) => {
    await decider?.stop()
    throw takenAddress(error, place.socket ?? `port ${place.port} of ${place.host}`)
  })
  return { address: { port: front.port }, stop: () => stopGrpcFront(front, decider) }
}

/** Error of a port that is taken, with advice; every other error unchanged. */
function takenAddress(error: unknown, where: string): unknown {
  const { code } = error instanceof Error ? (error as NodeJS.ErrnoException) : {}
  if (code !== 'EADDRINUSE') return error
  const other = where.startsWith('port ') ? 'choose another with --port' : 'name another with GRPC_UDS'
  return new Error(`Cannot start: ${where} is taken (${code}), ${other}`, { cause: error })
}
