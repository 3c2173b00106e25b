/** The runtime of a start, with the relay to stores and the profiler that it reaches beside it. */

import { needsRelay } from '#ratelimit/store-connections.ts'
import { startProfiler } from '../profiler/server.ts'
import { startStoreRelay } from '../store-relay/relay.ts'
import { developmentNode } from './development-node.ts'
import type { StartOptions } from './options.ts'
import type { Prepared } from './preparation.ts'
import { startRuntime } from './runtime.ts'
import { startVariables } from './start-table.ts'
import { localShards } from './state-record.ts'

/** Starts them; `stop` ends them all. */
export async function startServices(options: StartOptions, prepared: Prepared, say: (line: string) => void) {
  const { inspectorPort, barePort } = options
  const { settings, relayTls, folder } = prepared
  const vars = workerVars(options, prepared)
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

function workerVars({ vars, fieldPort }: StartOptions, prepared: Prepared): Readonly<Record<string, string>> {
  const { secrets, placement } = prepared
  const { STREAMNET_ADMIN_TOKEN, FRONT_TOKEN, FIELD_TOKEN } = prepared.tokens
  const own = Object.entries(vars).filter(([name]) => !Object.hasOwn(startVariables, name))
  return {
    ...developmentNode(secrets.values.STREAMNET_PRIVATE_KEY, vars.STREAMNET_PROFILE),
    ...secrets.values,
    COUNTER_SHARDS: localShards,
    ...Object.fromEntries(own),
    COUNTER_PLACEMENT: placement.placement,
    STREAMNET_ADMIN_TOKEN,
    FRONT_TOKEN,
    ...(fieldPort === 0 ? {} : { FIELD_TOKEN }),
  }
}
