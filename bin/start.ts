/**
 * `npm start`: everything on this machine, from one command.
 *
 * Bundles the front door, starts it in workerd with its state in a separate folder, gives each surface its
 * secrets, loads the rate limit configuration and opens the further ports that clients expect.
 */

import cluster from 'node:cluster'
import { hostname, tmpdir } from 'node:os'
import { messageOf } from '#base/errors.ts'
import { connectDecider } from './decider/connect.ts'
import { type FieldFront, startFieldFront } from './field/front.ts'
import { createSessions } from './http-front/sessions.ts'
import { createSignIn } from './http-front/sign-in.ts'
import type { UpstreamAddress } from './http-front/upstream.ts'
import { isPackage } from './project.ts'
import type { Service } from './ratelimit/push.ts'
import { createProgress, type Progress } from './run/progress.mjs'
import { loadConfiguration } from './start/configuration.ts'
import { serveConsoleLinks } from './start/console-links.ts'
import { startControlPlane } from './start/control-plane.ts'
import { followRuntimeDirectory } from './start/follow.ts'
import { greeting } from './start/greeting.ts'
import { runPlannedFront, startFront } from './start/grpc-fronts.ts'
import { ownAddress, startListeners } from './start/listeners.ts'
import { loopback, parseStartOptions, type StartOptions, usage } from './start/options.ts'
import { openPassingFolder, removeLeftFolders } from './start/passing-folder.ts'
import { type Prepared, prepare } from './start/preparation.ts'
import { startServices } from './start/services.ts'

async function start(options: StartOptions, progress: Progress): Promise<void> {
  const prepared = await prepare(options, progress.say)
  if (!isPackage) await bundle(progress)
  progress.step('Starting the runtime')
  const temporary = tmpdir()
  const passing = await openPassingFolder()
  process.once('exit', passing.remove)
  const services = await startServices(options, prepared, progress.say)
  const fronts = await startFronts(options, prepared, services.address, progress)
  progress.end()
  const stopped = stopSignal()
  const { secrets, placement } = prepared
  if (!options.quiet) process.stdout.write(greeting(options, secrets, placement, fronts.makeLink()))
  fronts.followRules()
  void removeLeftFolders(temporary)

  const failure = await Promise.race([stopped, services.failed])
  if (failure !== null) throw new Error(failure)
  await fronts.stop()
  await services.stop()
}

/** Opens the ports of a start, and loads the rules before native gRPC is answered. */
async function startFronts(options: StartOptions, prepared: Prepared, runtime: UpstreamAddress, progress: Progress) {
  progress.step('Loading the rules of the rate limit service')
  const { listener, tokens } = prepared
  const signIn = createSignIn(tokens, createSessions())
  const direct = { ...withoutFront(runtime), token: tokens.FRONT_TOKEN }
  const decider = connectDecider(direct)
  const listeners = await startListeners(options, runtime, tokens, { signIn, decider })
  const url = ownAddress(options.host, options.port)
  const service = { url, token: tokens.ADMIN_TOKEN, who: `start on ${hostname()}` }
  const following = new AbortController()
  const rules = { signal: following.signal, say: progress.say }
  await loadRules(prepared, service, rules)
  const front = await startFront(options, { upstream: url, runtime: direct }, { decider, listener })
  const field = startField(options, runtime, tokens.FIELD_TOKEN)
  const makeLink = () => `${url}/console#signin=${signIn.issueCode()}`
  // A folder that keeps no lock keeps no other socket.
  const links = prepared.lock === null ? null : await serveConsoleLinks(prepared.folder, makeLink)
  return {
    makeLink,
    followRules: () => followRules(prepared, service, rules),
    async stop(): Promise<void> {
      following.abort()
      links?.close()
      await field?.stop()
      await Promise.all([front?.stop(), decider.leave()])
      // Calls that the front forwards pass there.
      await listeners.stop()
      await decider.stop()
    },
  }
}

interface Following {
  readonly signal: AbortSignal
  readonly say: (line: string) => void
}

async function loadRules({ source, settings, files }: Prepared, service: Service, following: Following): Promise<void> {
  if (source.kind === 'xds') await startControlPlane(source.plane, service, { ...following, settings })
  else await loadConfiguration(service, files, { onlyIfEmpty: source.kind === 'example' })
}

function followRules({ source, since }: Prepared, service: Service, following: Following): void {
  if (source.kind === 'runtime') void followRuntimeDirectory(source.directory, service, { ...following, since })
}

/** Bundles services and console where sources have changed; only in a clone, because the package has no bundler. */
async function bundle(progress: Progress): Promise<void> {
  progress.step('Bundling the services and the console')
  const { bundleConsole } = await import('./bundle-console.ts')
  const { bundleWorkers } = await import('./bundle-workers.ts')
  await Promise.all([bundleWorkers(['index']), bundleConsole()])
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
