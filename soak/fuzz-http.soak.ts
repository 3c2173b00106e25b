/** Mutated requests to every surface of a running service: each answer is one that its contract knows. */

import { createRandom, type Random } from '#base/random.ts'
import { mutateOctets, mutateTarget, mutateText, pick } from './mutate.ts'
import { createTally, gatherViolations, grouped, type Soak, scaled, type Violations } from './outcome.ts'
import { type SurfaceRequests, surfaces } from './requests.ts'
import { prepareService, type Service } from './service.ts'
import { type Answer, patienceMs, Wire, type WireRequest } from './wire.ts'

/** Header fields that handlers read and strangers get wrong. */
const fields = [
  ['content-type', 'text/plain'],
  ['content-type', ''],
  ['content-type', 'application/json; charset=utf-16'],
  ['content-encoding', 'gzip'],
  ['accept', '*/*;q=x'],
  ['if-none-match', '*, W/"a", "'],
  ['last-event-id', '1-2-3'],
  ['idempotency-key', 'x'.repeat(300)],
  ['grpc-timeout', '99999999H'],
  ['grpc-encoding', 'gzip'],
  ['connect-timeout-ms', '-1'],
  ['origin', 'null'],
  ['range', 'bytes=-1'],
  ['x-http-method-override', 'DELETE'],
] as const
const verbs = ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'POST', 'PROPFIND']

/** Requests to each surface at full size. */
const requestsPerSurface = 45_000
/** Connections at once: one that waits for a slow answer leaves five that go on. */
const connections = 6
/** Part of the bodies that is mutated; of the other requests it is the target. */
const bodyShare = 0.8
/** One request in so many gets a field that strangers get wrong, and one another verb. */
const oddOnes = 20

export const run: Soak = async (scale) => {
  const each = scaled(requestsPerSurface, scale)
  const violations = gatherViolations()
  const statuses = createTally()
  const service = await prepareService()
  await service.start()
  const pid = service.runtime()
  await prepare(service)
  let slowest = 0
  for (const surface of surfaces) slowest = Math.max(slowest, await fuzz(service, surface, each, statuses, violations))
  const health = await fetch(`${service.url}/healthcheck`)
  if (health.status !== 200) violations.add(`afterwards the health is ${health.status} ${await health.text()}`)
  if (service.runtime() !== pid) violations.add(`the runtime ended: ${service.output().slice(-500)}`)
  await service.stop()
  return {
    done: `${grouped(each * surfaces.length)} requests to ${surfaces.length} surfaces, seed 1`,
    facts: [`answers ${statuses.text()}`, `slowest ${(slowest / 1000).toFixed(1)} s`],
    violations: violations.list(),
  }
}

/** Two simulations that mutated requests may change: one computed here and stopped, one fed from outside. */
async function prepare(service: Service): Promise<void> {
  const authorization = `Bearer ${service.tokens().GRID_TOKEN}`
  const post = async (path: string, body: string) => {
    const headers = { authorization, 'content-type': 'application/json' }
    const response = await fetch(`${service.url}/simulations/${path}`, { method: 'POST', headers, body })
    if (!response.ok)
      throw new Error(`Cannot prepare: ${path} was answered ${response.status} ${await response.text()}`)
  }
  await post('fed/api/v1/sim/config', '{"mode":"external"}')
  await post('fuzz/api/v1/sim/config', '{}')
  await post('fuzz/api/v1/sim/stop', '{}')
}

async function fuzz(
  service: Service,
  surface: SurfaceRequests,
  count: number,
  statuses: ReturnType<typeof createTally>,
  violations: Violations,
): Promise<number> {
  let [next, slowest] = [0, 0]
  const seen = new Set<string>()
  const ask = async (connection: number) => {
    const random = createRandom(1, `${surface.name} ${connection}`)
    const wire = new Wire(service.ports[surface.port])
    while (next < count) {
      next += 1
      const request = mutateRequest(pick(random, surface.requests), random)
      const asked = performance.now()
      const answer = await wire.ask(withToken(request, service, surface))
      slowest = Math.max(slowest, performance.now() - asked)
      statuses.add(answer.status)
      const wrong = faultOf(answer, request, surface)
      if (wrong === null || seen.has(wrong)) continue
      seen.add(wrong)
      violations.add(`${surface.name}: ${wrong} to ${show(request)}`)
    }
    wire.close()
  }
  await Promise.all(Array.from({ length: connections }, (_, connection) => ask(connection)))
  return slowest
}

function withToken(request: WireRequest, service: Service, { token }: SurfaceRequests): WireRequest {
  if (token === undefined) return request
  const field = ['authorization', `Bearer ${service.tokens()[token]}`] as const
  return { ...request, fields: [...(request.fields ?? []), field] }
}

function mutateRequest(request: WireRequest, random: Random): WireRequest {
  const { body } = request
  const isBodyMutated = body !== undefined && random.uniform() < bodyShare
  const mutated = isBodyMutated
    ? { ...request, body: typeof body === 'string' ? mutateText(body, random) : mutateOctets(body, random) }
    : { ...request, target: mutateTarget(request.target, random) }
  switch (random.integer(0, oddOnes - 1)) {
    case 0:
      return { ...mutated, fields: [...(mutated.fields ?? []), pick(random, fields)] }
    case 1:
      return withVerb(mutated, pick(random, verbs))
    default:
      return mutated
  }
}

/** GET, HEAD and OPTIONS carry no body: what a server makes of one is not the contract's. */
function withVerb({ body, ...request }: WireRequest, method: string): WireRequest {
  const hasBody = body !== undefined && !['GET', 'HEAD', 'OPTIONS'].includes(method)
  return { ...request, method, ...(hasBody && { body }) }
}

/** Describes an answer that the contract does not have; null for one that it has. */
function faultOf(answer: Answer, request: WireRequest, { statuses, isExpected }: SurfaceRequests): string | null {
  const text = answer.body.toString()
  if (answer.status === 'broken') return 'the connection broke'
  if (answer.status === 'late') return `no answer in ${patienceMs / 1000} seconds`
  if (/\bat [\w.<>]+ \(?\S+:\d+:\d+\)?/.test(text)) return 'the answer holds a stack'
  if (statuses.includes(answer.status) || isExpected?.(answer, request)) return null
  return `status ${answer.status} ${text.slice(0, 200)}`
}

function show({ method, target, fields = [], body = '' }: WireRequest): string {
  const octets = Buffer.from(body)
  const shown = /^[\x20-\x7e]*$/.test(octets.toString('latin1'))
    ? octets.toString()
    : `base64 ${octets.toString('base64')}`
  return `${method} ${target} ${JSON.stringify(fields)} ${shown.slice(0, 1_000)}`
}
