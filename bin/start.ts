/**
 * `npm start`: everything on this machine, from one command.
 *
 * Bundles the front door, starts it in workerd with its state in a separate folder, gives each surface its
 * secrets, loads the rate limit configuration and opens the further ports that clients expect.
 */

import cluster from 'node:cluster'
import { randomBytes } from 'node:crypto'
import { hostname, tmpdir } from 'node:os'
import { messageOf } from '#base/errors.ts'
import { readSettings, type Settings } from '#ratelimit/settings.ts'
import { needsRelay, readStoreTls } from '#ratelimit/store-connections.ts'
import { connectDecider } from './decider/connect.ts'
import type { Decider } from './decider/decider.ts'
import { type FieldFront, startFieldFront } from './field/front.ts'
import { startGrpcFront } from './grpc-front/front.ts'
import { readListener } from './grpc-front/listener.ts'
import { startFrontProcesses } from './grpc-front/processes.ts'
import { createSessions } from './http-front/sessions.ts'
import { createSignIn } from './http-front/sign-in.ts'
import type { UpstreamAddress } from './http-front/upstream.ts'
import { startProfiler } from './profiler/server.ts'
import { isPackage } from './project.ts'
import { fingerprint } from './ratelimit/runtime-directory.ts'
import { createProgress, type Progress } from './run/progress.mjs'
import { configurationSource, loadConfiguration, readConfiguration } from './start/configuration.ts'
import { serveConsoleLinks } from './start/console-links.ts'
import { startControlPlane } from './start/control-plane.ts'
import { lookAtDatabases } from './start/databases.ts'
import { developmentNode } from './start/development-node.ts'
import { followRuntimeDirectory } from './start/follow.ts'
import { greeting } from './start/greeting.ts'
import { type FrontPlan, runPlannedFront } from './start/grpc-fronts.ts'
import { ownAddress, startListeners } from './start/listeners.ts'
import { loopback, parseStartOptions, type StartOptions, usage } from './start/options.ts'
import { openPassingFolder, removeLeftFolders } from './start/passing-folder.ts'
import { addressOf, assertPortsFree, listPlaces } from './start/ports.ts'
import { assertDefaultMapping } from './start/prometheus-mapper.ts'
import { startRuntime } from './start/runtime.ts'
import { loadSecrets, type Secrets } from './start/secrets.ts'
import { startVariables } from './start/start-table.ts'
import { openStateFolder } from './start/state-folder.ts'
import { type ChosenPlacement, choosePlacement, localShards } from './start/state-record.ts'
import { startStoreRelay } from './store-relay/relay.ts'
import { readRelayTls } from './store-relay/tls.ts'

async function start(options: StartOptions, progress: Progress): Promise<void> {
  const prepared = await prepare(options, progress)
  const { settings, source, files, since, tokens, secrets, placement } = prepared
  if (!isPackage) await bundle(progress)
  progress.step('Starting the runtime')
  const temporary = tmpdir()
  const passing = await openPassingFolder()
  process.once('exit', passing.remove)
  const runtime = await startRuntimeAndHelpers(options, prepared, progress.say)

  progress.step('Loading the rules of the rate limit service')
  const signIn = createSignIn(tokens, createSessions())
  const direct = { ...withoutFront(runtime.address), token: tokens.FRONT_TOKEN }
  const decider = connectDecider(direct)
  const listeners = await startListeners(options, runtime.address, tokens, { signIn, decider })
  const url = ownAddress(options.host, options.port)
  const service = { url, token: tokens.ADMIN_TOKEN, who: `start on ${hostname()}` }
  const following = new AbortController()
  const { signal } = following
  if (source.kind === 'xds') await startControlPlane(source.plane, service, { signal, settings, say: progress.say })
  else await loadConfiguration(service, files, { onlyIfEmpty: source.kind === 'example' })

  const front = await startFront(options, { upstream: url, runtime: direct }, { decider, settings })
  const field = startField(options, runtime.address, tokens.FIELD_TOKEN)
  const makeLink = () => `${url}/console#signin=${signIn.issueCode()}`
  // A folder that keeps no lock keeps no other socket.
  const links = prepared.lock === null ? null : await serveConsoleLinks(prepared.folder, makeLink)
  progress.end()
  const stopped = stopSignal()
  if (!options.quiet) process.stdout.write(greeting(options, secrets, placement, makeLink()))
  if (source.kind === 'runtime')
    void followRuntimeDirectory(source.directory, service, { signal, since, say: progress.say })
  void removeLeftFolders(temporary)

  const failure = await Promise.race([stopped, runtime.failed])
  if (failure !== null) throw new Error(failure)
  following.abort()
  links?.close()
  await field?.stop()
  await Promise.all([front?.stop(), decider.leave()])
  // Calls that the front forwards pass there.
  await listeners.stop()
  await decider.stop()
  await runtime.stop()
}

type Prepared = Awaited<ReturnType<typeof prepare>>

/** Reads and checks everything that a start depends on, and takes the state folder, before anything runs. */
async function prepare(options: StartOptions, progress: Progress) {
  const settings = readSettings(options.vars, true)
  assertDefaultMapping(settings.PROMETHEUS_MAPPER_YAML)
  const storeTls = readStoreTls(settings)
  const relayTls = storeTls === null ? null : readRelayTls(storeTls)
  for (const line of options.warnings) progress.say(line)
  const source = configurationSource(options, settings)
  const since = source.kind === 'runtime' ? await fingerprint(source.directory) : ''
  const files = await readConfiguration(source, { mergeDomains: settings.MERGE_DOMAIN_CONFIG })
  if (source.kind === 'runtime' && files.length === 0)
    progress.say('The directory of the RUNTIME_ settings has no rules yet: every request passes')
  const places = listPlaces(options)
  const { path: folder, lock } = await openStateFolder(options.persist, progress.say, places.map(addressOf))
  await assertPortsFree(places)
  assertDatabases(folder, progress.say)
  const secrets = loadSecrets(folder)
  const placement = choosePlacement(folder, options.vars.COUNTER_PLACEMENT)
  const tokens = chooseTokens(options, secrets)
  return { settings, relayTls, source, since, files, folder, lock, secrets, placement, tokens }
}

/** Starts the runtime, and what it reaches beside it: the relay to stores and the profiler. */
async function startRuntimeAndHelpers(options: StartOptions, prepared: Prepared, say: Progress['say']) {
  const { inspectorPort, barePort } = options
  const { settings, relayTls, folder, secrets, placement, tokens } = prepared
  const { STREAMNET_ADMIN_TOKEN, FRONT_TOKEN, FIELD_TOKEN } = tokens
  const vars = {
    ...workerVars(options, secrets, placement),
    STREAMNET_ADMIN_TOKEN,
    FRONT_TOKEN,
    ...(options.fieldPort === 0 ? {} : { FIELD_TOKEN }),
  }
  const relay = needsRelay(settings) ? await startStoreRelay(relayTls) : null
  const profiler = await startProfiler({ inspectorPort, commandLine: process.argv })
  const sockets = { storeRelay: relay?.socketPath, profiler: profiler.socketPath }
  const runtime = await startRuntime({ vars, ...sockets, inspectorPort, folder, barePort, say })
  return {
    ...runtime,
    async stop() {
      await runtime.stop()
      await relay?.stop()
      await profiler.stop()
    },
  }
}

/** @throws Error with a line for each database that must not be opened as it is. */
function assertDatabases(folder: string, say: (line: string) => void): void {
  const { mistakes, warnings } = lookAtDatabases(folder)
  for (const line of warnings) say(line)
  if (mistakes.length > 0) throw new Error(mistakes.join('\n'))
}

/** Bundles services and console where sources have changed; only in a clone, because the package has no bundler. */
async function bundle(progress: Progress): Promise<void> {
  progress.step('Bundling the services and the console')
  const { bundleConsole } = await import('./bundle-console.ts')
  const { bundleWorkers } = await import('./bundle-workers.ts')
  await Promise.all([bundleWorkers(['index']), bundleConsole()])
}

/** The tokens of the services, given or kept in the state folder; one that is neither lasts as long as this process. */
function chooseTokens({ vars }: StartOptions, { values }: Secrets) {
  const draw = () => randomBytes(16).toString('hex')
  return {
    ADMIN_TOKEN: vars.ADMIN_TOKEN ?? values.ADMIN_TOKEN,
    GRID_TOKEN: vars.GRID_TOKEN ?? values.GRID_TOKEN,
    STREAMNET_TOKEN: vars.STREAMNET_TOKEN ?? values.STREAMNET_TOKEN,
    STREAMNET_ADMIN_TOKEN: vars.STREAMNET_ADMIN_TOKEN || draw(),
    FIELD_TOKEN: vars.FIELD_TOKEN || draw(),
    FRONT_TOKEN: vars.FRONT_TOKEN || draw(),
  }
}

/** Native gRPC for the rate limit service, in this process or in several; null when its port is 0. */
async function startFront(
  { grpcHost: host, grpcPort: port, fronts, vars }: StartOptions,
  { upstream, runtime }: Pick<FrontPlan, 'upstream' | 'runtime'>,
  { decider, settings }: { readonly decider: Decider; readonly settings: Settings },
): Promise<{ stop(): Promise<void> } | null> {
  if (port === 0) return null
  if (fronts > 1) {
    const plan: FrontPlan = { upstream, runtime, grpcHost: host, grpcPort: port, vars }
    return startFrontProcesses(fronts, 'start', plan)
  }
  return startGrpcFront({ upstream, quota: runtime, decider, host, port, ...readListener(settings) })
}

/** The sockets of the simulation's outstations, in this process; null where they were not asked for. */
function startField({ fieldPort: port }: StartOptions, runtime: UpstreamAddress, token: string): FieldFront | null {
  if (port === 0) return null
  const upstream = { ...withoutFront(runtime), token, simulation: 'default' }
  return startFieldFront({ upstream, host: loopback, port, warn: (message) => console.error(message) })
}

function withoutFront(runtime: UpstreamAddress): { readonly url: string; readonly socketPath?: string } {
  return 'socketPath' in runtime
    ? { url: 'http://localhost', socketPath: runtime.socketPath }
    : { url: `http://${runtime.host}:${runtime.port}` }
}

function workerVars(
  { vars }: StartOptions,
  secrets: Secrets,
  { placement }: ChosenPlacement,
): Readonly<Record<string, string>> {
  const own = Object.entries(vars).filter(([name]) => !Object.hasOwn(startVariables, name))
  return {
    ...developmentNode(secrets.values.STREAMNET_PRIVATE_KEY, vars.STREAMNET_PROFILE),
    ...secrets.values,
    COUNTER_SHARDS: localShards,
    ...Object.fromEntries(own),
    COUNTER_PLACEMENT: placement,
  }
}

/** Settles when a signal asks the service to end; listens before the others are removed, so that none is lost. */
function stopSignal(): Promise<null> {
  return new Promise((stop) => {
    for (const name of ['SIGINT', 'SIGTERM'] as const) {
      // Wrangler ends the process at once; here requests are finished first.
      const others = process.rawListeners(name)
      process.once(name, () => stop(null))
      // The listeners of a signal; Node types them as plain functions.
      for (const other of others) process.removeListener(name, other as () => void)
    }
  })
}

let progress: Progress | null = null
try {
  const options = parseStartOptions(process.argv.slice(2), process.env)
  if (options === null) process.stdout.write(usage)
  else if (cluster.isWorker) {
    // The connection to the process of the start would keep this one alive.
    await runPlannedFront(stopSignal()).finally(() => cluster.worker?.disconnect())
  } else {
    progress = createProgress({ isQuiet: options.quiet })
    await start(options, progress)
  }
} catch (error) {
  progress?.end()
  console.error(messageOf(error))
  process.exit(1)
}
