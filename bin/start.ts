/**
 * `npm start`: everything on this machine, from one command.
 *
 * Bundles the front door, starts it in workerd with its state in a folder of its own, gives each surface its
 * secrets, loads the rate limit configuration and opens the further ports that clients expect.
 */

import { hostname } from 'node:os'
import { join } from 'node:path'
import type { WorkerOptions } from 'miniflare'
import { readSettings, type Settings } from '../src/ratelimit/settings.ts'
import { createSigner } from '../src/streamnet/signing/signer.ts'
import { bundlePath, bundleWorkers } from './bundle-workers.ts'
import { type GrpcFront, startGrpcFront } from './grpc-front/front.ts'
import { readListener } from './grpc-front/listener.ts'
import { projectRoot } from './project.ts'
import { loadConfiguration, readConfiguration } from './start/configuration.ts'
import { greeting } from './start/greeting.ts'
import { loopback, parseStartOptions, type StartOptions, usage } from './start/options.ts'
import { type ChosenPlacement, choosePlacement } from './start/placement.ts'
import { assertPortFree } from './start/ports.ts'
import { loadSecrets, type Secrets } from './start/secrets.ts'
import { openStateFolder } from './start/state-folder.ts'
import { type SupervisedRuntime, superviseRuntime } from './start/supervision.ts'
import { workerOptions } from './worker-options.ts'

/**
 * The stream network's node takes development methods here, starts with a small network to read from, and lets the
 * gateway's key write and manage roles.
 */
function developmentNode({ values }: Secrets): Readonly<Record<string, string>> {
  const { address } = createSigner(values.STREAMNET_PRIVATE_KEY)
  return {
    STREAMNET_DEVELOPMENT: 'true',
    STREAMNET_SEED_NETWORK: 'true',
    STREAMNET_WRITERS: address,
    STREAMNET_MANAGERS: address,
  }
}

/** What is loaded when no folder is named. */
const exampleConfiguration = join(projectRoot, 'examples/ratelimit/config')

async function start(options: StartOptions): Promise<void> {
  const settings = readSettings(options.vars)
  const files = await readConfiguration(options.config ?? exampleConfiguration, {
    mergeDomains: settings.mergeDomainConfig,
    ignoresDotFiles: settings.values.RUNTIME_IGNOREDOTFILES,
  })
  const { path: folder } = await openStateFolder(options.persist, console.error)
  await assertPortsFree(options)
  const secrets = loadSecrets(folder)
  const placement = choosePlacement(folder, options.vars.COUNTER_PLACEMENT)
  await bundleWorkers(['index', 'port'])
  const runtime = await superviseRuntime(
    {
      host: options.host,
      port: 0,
      cf: false,
      durableObjectsPersist: join(folder, 'state'),
      workers: [frontDoor(options, secrets, placement), ...furtherPorts(options)],
    },
    folder,
    { say: console.error },
  )
  const token = options.vars.ADMIN_TOKEN ?? secrets.values.ADMIN_TOKEN
  const service = { url: `http://${options.host}:${options.port}`, token, who: `start on ${hostname()}` }
  await loadConfiguration(service, files, { onlyIfEmpty: options.config === null })
  const front = await startFront(options, service.url, settings)
  if (!options.quiet) process.stdout.write(greeting(options, secrets, placement))
  await untilStopped(runtime)
  await front?.stop()
  await runtime.stop()
}

/** Native gRPC for the rate limit service, in this process; null when its port is 0. */
async function startFront(
  { grpcHost: host, grpcPort: port }: StartOptions,
  upstream: string,
  { values }: Settings,
): Promise<GrpcFront | null> {
  return port === 0 ? null : startGrpcFront({ upstream, host, port, ...readListener(values) })
}

async function assertPortsFree(options: StartOptions): Promise<void> {
  const { host, port, grpcHost, grpcPort, debugHost, debugPort, nodePort, adminPort } = options
  await assertPortFree(host, port, '--port')
  if (grpcPort > 0 && !options.vars.GRPC_UDS) await assertPortFree(grpcHost, grpcPort, '--grpc-port')
  if (debugPort > 0) await assertPortFree(debugHost, debugPort, '--debug-port')
  if (nodePort > 0) await assertPortFree(host, nodePort, '--node-port')
  if (adminPort > 0) await assertPortFree(loopback, adminPort, '--admin-port')
}

function frontDoor(
  { host, port, vars }: StartOptions,
  secrets: Secrets,
  { placement }: ChosenPlacement,
): WorkerOptions {
  const address = { host, port }
  return workerOptions({
    worker: 'index',
    script: bundlePath('index'),
    vars: { ...developmentNode(secrets), ...secrets.values, ...vars, COUNTER_PLACEMENT: placement },
    address,
  })
}

function furtherPorts(options: StartOptions): readonly WorkerOptions[] {
  const { host, debugHost, debugPort, nodePort, adminPort } = options
  const ports = [
    { name: 'debug-port', host: debugHost, port: debugPort, prefix: '/ratelimit' },
    { name: 'node-port', host, port: nodePort, prefix: '/streamnet/node' },
    { name: 'admin-port', host: loopback, port: adminPort, prefix: '/streamnet/admin' },
  ]
  return ports
    .filter(({ port }) => port > 0)
    .map(({ name, host: address, port, prefix }) => ({
      name,
      modules: [{ type: 'ESModule', path: bundlePath('port') }],
      compatibilityDate: '2026-04-20',
      bindings: { PREFIX: prefix },
      serviceBindings: { SLUICE: 'index' },
      unsafeDirectSockets: [{ host: address, port }],
    }))
}

/** Until a signal ends the service, which is as it should be, or its runtime ended too often, which throws. */
async function untilStopped({ failed }: SupervisedRuntime): Promise<void> {
  const signal = new Promise<null>((stop) => {
    process.once('SIGINT', () => stop(null))
    process.once('SIGTERM', () => stop(null))
  })
  const failure = await Promise.race([signal, failed])
  if (failure !== null) throw new Error(failure)
}

try {
  const options = parseStartOptions(process.argv.slice(2))
  if (options === null) process.stdout.write(usage)
  else await start(options)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
