/** The command line of `npm start`. */

import type { ParseArgsConfig } from 'node:util'
import { readVariables } from '#base/variables.ts'
import { readSettings } from '#ratelimit/settings.ts'
import { parseCommandLine } from '../command-line.ts'
import { readFronts } from '../grpc-front/processes.ts'
import { gatherSettings } from './environment.ts'
import { startVariables } from './start-table.ts'

/** Options of a start. */
export interface StartOptions {
  readonly host: string
  readonly port: number
  readonly grpcHost: string
  /** Port of native gRPC, or 0 for none. */
  readonly grpcPort: number
  /** Processes that share the port of native gRPC; 1 for this one. */
  readonly fronts: number
  readonly debugHost: string
  /** Port of the operator plane, or 0 for none. */
  readonly debugPort: number
  /** The port of metrics without a token; port 0 for none. */
  readonly metricsHost: string
  readonly metricsPort: number
  /** The only path of that port. */
  readonly metricsPath: string
  /** Port of the stream network's development node, or 0 for none. */
  readonly nodePort: number
  /** Port of the node's operator, on this machine only, or 0 for none. */
  readonly adminPort: number
  /** Port of 127.0.0.1 that leads to the runtime without the front, or 0 for none. */
  readonly barePort: number
  /** Port of 127.0.0.1 for the runtime's inspector, or 0 for none. */
  readonly inspectorPort: number
  /** The port before that of the first outstation, on this machine only, or 0 for no field. */
  readonly fieldPort: number
  /** Hosts that requests may name besides loopback and the address listened on; `*` for all. */
  readonly allowedHosts: readonly string[]
  /** Folder of rate limit configuration files; null for the example, loaded only where there is none yet. */
  readonly config: string | null
  /** Folder that keeps state and secrets. */
  readonly persist: string
  readonly quiet: boolean
  /** Settings of the services, by name. */
  readonly vars: Readonly<Record<string, string>>
  /** Oddities of the environment, one line each. */
  readonly warnings: readonly string[]
}

/** The loopback address: the default host, and the only one of ports that nothing else guards. */
export const loopback = '127.0.0.1'

/** The text of `sluice start --help`. */
export const usage = `Usage: sluice start [OPTION ...], or in a clone npm start -- [OPTION ...]

  --port PORT          HTTP of all services (8080)
  --host ADDRESS       address to listen on (127.0.0.1)
  --grpc-port PORT     native gRPC of the rate limit service (8081; 0 for none)
  --fronts NUMBER      processes that share the port of native gRPC (1, this one; 64 at most)
  --debug-port PORT    operator plane of the rate limit service (6070; 0 for none)
  --node-port PORT     JSON-RPC of the stream development node (8484; 0 for none)
  --admin-port PORT    the node's local.* and dev.* methods, on 127.0.0.1 with any --host
                       (8485; 0 for none, as --node-port 0 means it too)
  --allowed-host NAME  a host that HTTP requests may name besides localhost and --host; may be repeated,
                       * for all; others are refused with 421
  --bare-port PORT     the runtime's own HTTP on 127.0.0.1, without the front (0, none)
  --inspector-port PORT
                       the runtime's inspector on 127.0.0.1, which /debug/pprof/ needs (0, none); who reaches
                       it controls the services, and every user of this machine does
  --field              the outstations of the simulation "default" as sockets on 127.0.0.1: bus N at port 15000 + N,
                       phasor unit N at 15500 + N; masters need no password, and every user of this machine reaches them
  --field-port PORT    the same from another port than 15000
  --config DIR         rate limit configuration (examples/ratelimit/config, where there is none yet)
  --persist DIR        folder for state and secrets (.sluice)
  --var NAME=VALUE     a setting of a service, before an environment variable of that name; may be repeated
  --quiet              print nothing but errors
  --help               print this

Environment: every setting; sluice doctor --all prints them with their values. HOST, PORT, GRPC_HOST,
GRPC_PORT, DEBUG_HOST and DEBUG_PORT are used where the option is not given. Without --config, RUNTIME_ROOT and
RUNTIME_SUBDIRECTORY name a directory of configuration files that is watched: swap the link at RUNTIME_ROOT, or
with RUNTIME_WATCH_ROOT=false edit the files. Options win over the environment.
`

const flags = {
  port: { type: 'string' },
  host: { type: 'string' },
  'grpc-port': { type: 'string' },
  fronts: { type: 'string', default: '1' },
  'debug-port': { type: 'string' },
  'node-port': { type: 'string' },
  'admin-port': { type: 'string' },
  'allowed-host': { type: 'string', multiple: true },
  'bare-port': { type: 'string', default: '0' },
  'inspector-port': { type: 'string', default: '0' },
  field: { type: 'boolean', default: false },
  'field-port': { type: 'string' },
  config: { type: 'string' },
  persist: { type: 'string' },
  var: { type: 'string', multiple: true, default: [] },
  quiet: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} satisfies NonNullable<ParseArgsConfig['options']>

/** Reads the command line and the environment; null when help was asked for. */
export function parseStartOptions(args: readonly string[], environment: NodeJS.ProcessEnv = {}): StartOptions | null {
  const { values } = parseCommandLine('Cannot start', { args: [...args], options: flags })
  if (values.help) return null
  const { vars, warnings } = gatherSettings(Object.fromEntries(values.var.map(parseVariable)), environment)
  const own = readVariables(startVariables, vars)
  const host = values.host ?? (vars.HOST || loopback)
  const nodePort = parsePort('--node-port', values['node-port'] ?? `${own.SLUICE_NODE_PORT}`, 0)
  return {
    host,
    port: parsePort('--port', values.port ?? (vars.PORT || '8080'), 1),
    grpcHost: values.host ?? (vars.GRPC_HOST || host),
    grpcPort: parsePort('--grpc-port', values['grpc-port'] ?? (vars.GRPC_PORT || '8081'), 0),
    fronts: readFronts(values.fronts),
    debugHost: values.host ?? (vars.DEBUG_HOST || host),
    debugPort: parsePort('--debug-port', values['debug-port'] ?? (vars.DEBUG_PORT || '6070'), 0),
    ...metricsPlace(vars, host),
    nodePort,
    // Without a port of the node there is none of its operator either.
    adminPort: parsePort(
      '--admin-port',
      values['admin-port'] ?? (nodePort === 0 ? '0' : `${own.SLUICE_ADMIN_PORT}`),
      0,
    ),
    barePort: parsePort('--bare-port', values['bare-port'], 0),
    inspectorPort: parsePort('--inspector-port', values['inspector-port'], 0),
    fieldPort: parsePort('--field-port', values['field-port'] ?? (values.field ? '15000' : '0'), 0),
    allowedHosts: values['allowed-host'] ?? own.SLUICE_ALLOWED_HOSTS,
    config: values.config ?? (own.SLUICE_CONFIG || null),
    persist: values.persist ?? own.SLUICE_STATE,
    quiet: values.quiet,
    vars,
    warnings,
  }
}

/** Reads the place of the metrics: PROMETHEUS_ADDR, its host that of the services where it names none, and its port 0 without USE_PROMETHEUS. */
function metricsPlace(
  vars: Readonly<Record<string, string>>,
  host: string,
): Pick<StartOptions, 'metricsHost' | 'metricsPort' | 'metricsPath'> {
  const { USE_PROMETHEUS: isUsed, PROMETHEUS_ADDR: address, PROMETHEUS_PATH: metricsPath } = readSettings(vars, true)
  const separator = address.lastIndexOf(':')
  const metricsHost = address.slice(0, separator).replace(/^\[|\]$/g, '')
  const port = isUsed ? parsePort('PROMETHEUS_ADDR', address.slice(separator + 1), 0) : 0
  return { metricsHost: metricsHost || host, metricsPort: port, metricsPath }
}

function parsePort(option: string, text: string, lowest: number): number {
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port >= lowest && port <= 65_535) return port
  throw new Error(`Cannot start: ${option} is "${text}", expected a port from ${lowest} to 65535`)
}

function parseVariable(text: string): readonly [string, string] {
  const match = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s.exec(text)
  if (match?.[1] !== undefined && match[2] !== undefined) return [match[1], match[2]]
  throw new Error(`Cannot start: --var is "${text}", expected NAME=VALUE`)
}
