/** The patch of examples/kubernetes/kong-mesh.yaml in a stock Envoy, as the mesh puts its parts together. */

import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { bundleWorkers } from '#bin/bundle-workers.ts'
import { startGrpcFront } from '#bin/grpc-front/front.ts'
import { projectRoot } from '#bin/project.ts'
import { envoyProgram } from '../support/envoy.ts'
import { makeFolder } from '../support/folder.ts'
import { listen } from '../support/listen.ts'
import { freePort, startProgram, waitForPort } from '../support/process.ts'
import { startRatelimit } from '../support/ratelimit-bundle.ts'

type Part = 'cluster' | 'httpFilter' | 'virtualHost'
type Modification = Partial<Record<Part, { readonly value: string }>>

/** The parts of the patch, as texts, with the address of the limiter on this machine. */
function readParts(limiterPort: number): Readonly<Record<Part, string>> {
  const text = readFileSync(join(projectRoot, 'examples/kubernetes/kong-mesh.yaml'), 'utf8')
  const { spec } = parse(text) as { spec: { default: { appendModifications: readonly Modification[] } } }
  const valueFor = (part: Part) => spec.default.appendModifications.find((one) => part in one)?.[part]?.value ?? ''
  const address = 'address: sluice-ratelimit.default.svc.cluster.local, port_value: 8081'
  expect(valueFor('cluster')).toContain(address)
  return {
    cluster: valueFor('cluster').replace(address, `address: 127.0.0.1, port_value: ${limiterPort}`),
    // Beside other programs an answer takes longer than the patch waits for one.
    httpFilter: valueFor('httpFilter').replace(/^( *timeout:) 0\.1s$/m, '$1 60s'),
    virtualHost: valueFor('virtualHost'),
  }
}

/** An Envoy that has an inbound listener as a sidecar has it, with the parts in their places. */
function sidecar(parts: Readonly<Record<Part, string>>, port: number, servicePort: number): object {
  const address = (number: number) => ({ address: { socket_address: { address: '127.0.0.1', port_value: number } } })
  const service = {
    name: 'service',
    load_assignment: { cluster_name: 'service', endpoints: [{ lb_endpoints: [{ endpoint: address(servicePort) }] }] },
  }
  const host = {
    ...{ name: 'service', domains: ['*'], routes: [{ match: { prefix: '/' }, route: { cluster: 'service' } }] },
    ...(parse(parts.virtualHost) as object),
  }
  const router = {
    name: 'envoy.filters.http.router',
    typed_config: { '@type': 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router' },
  }
  const manager = {
    '@type': 'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
    stat_prefix: 'inbound',
    route_config: { virtual_hosts: [host] },
    http_filters: [parse(parts.httpFilter), router],
  }
  const filters = [{ name: 'envoy.filters.network.http_connection_manager', typed_config: manager }]
  const listener = { name: 'inbound', ...address(port), filter_chains: [{ filters }] }
  return { static_resources: { listeners: [listener], clusters: [service, parse(parts.cluster)] } }
}

it.skipIf(envoyProgram === null)(
  'the patch for Kong Mesh lets 20 of 25 requests of an account through (skipped without envoy)',
  async () => {
    await bundleWorkers(['ratelimit'])
    const rules = parseAllDocuments(
      readFileSync(join(projectRoot, 'examples/kubernetes/ratelimit.yaml'), 'utf8'),
    )[0]?.toJS()
    const text = (rules as { data: Readonly<Record<string, string>> }).data['shop.yaml'] ?? ''
    const limiter = await startRatelimit({}, { 'shop.yaml': text.replace('unit: minute', 'unit: day') })
    onTestFinished(() => limiter.stop())
    const front = await startGrpcFront({ upstream: limiter.url, host: '127.0.0.1', port: 0 })
    onTestFinished(() => front.stop())
    const service = createServer((_, response) => response.end('through'))
    const servicePort = await listen(service)
    onTestFinished(() => void service.close())
    const port = await freePort()
    const folder = makeFolder(onTestFinished)
    writeFileSync(join(folder, 'envoy.json'), JSON.stringify(sidecar(readParts(front.port), port, servicePort)))
    const flags = ['--log-level', 'warning', '--concurrency', '1', '--disable-hot-restart', '--use-dynamic-base-id']
    const envoy = startProgram(envoyProgram ?? 'envoy', ['-c', join(folder, 'envoy.json'), ...flags])
    onTestFinished(() => envoy.stop('SIGKILL'))
    await waitForPort(port, envoy)
    const codes: number[] = []
    for (let times = 0; times < 25; times++) {
      codes.push((await fetch(`http://127.0.0.1:${port}/`, { headers: { 'x-account': 'me' } })).status)
    }
    expect(codes).toEqual([...Array(20).fill(200), ...Array(5).fill(429)])
  },
)
