/** The handlers of all routes: each reads the request, calls the simulation, and writes the response. */

import { metricsType } from '#base/prometheus.ts'
import { product } from '#grid/configuration.ts'
import { GridError } from '#grid/errors.ts'
import { type AttackDisableRequest, parseAttackDisable, parseAttackEnable } from '#grid/interface/attack-requests.ts'
import { parseExternalStatus, parsePacketBatch, parseTopology } from '#grid/interface/ingest-requests.ts'
import { bodyLimits, maximumDepth } from '#grid/interface/request-bounds.ts'
import {
  expectNothing,
  parseAcknowledge,
  parseConfiguration,
  parseFault,
  parseGenerator,
  parseJoin,
  parseLoad,
  parseRestore,
  parseSpeed,
  parseSteps,
  parseSwitch,
  parseTapOrder,
} from '#grid/interface/requests.ts'
import { parseAnswers, parsePlay } from '#grid/interface/scenario-requests.ts'
import { parseScore } from '#grid/interface/score-requests.ts'
import { parseStudy, type StudyRequest } from '#grid/interface/study-requests.ts'
import { parseLimit } from '#grid/records/limit.ts'
import { retention } from '#grid/records/records.ts'
import { visibilityOf } from '#grid/rights.ts'
import { listScenarios } from '#grid/scenario/describe.ts'
import { alertBounds } from '#grid/score/read-alerts.ts'
import type { OrderBody } from '#objects/grid/simulation/orders.ts'
import { readBytes, readText } from '../edge/body.ts'
import { corsHeaders } from '../edge/cors.ts'
import { identify } from '../edge/operator.ts'
import { type Call, findSettings, query, respond, respondOrRefuse } from './call.ts'
import { captureKind, download } from './downloads.ts'
import { listen, listenToCommands } from './event-streams.ts'
import { writeHelp } from './help.ts'
import { type JsonBody, readJson, requireJson } from './json-body.ts'
import { deleteNetwork, listNetworks, showNetwork, storeNetwork, withNetwork, withTables } from './networks.ts'
import { describeApi } from './openapi.ts'
import { parseColumns } from './parameters.ts'
import { json, jsonText } from './problems.ts'
import type { RouteName } from './routes.ts'
import { addSimulation, collectMetrics, createSimulation, deleteSimulation, listSimulations } from './simulations.ts'

type Handler = (call: Call) => Promise<Response>

/** One handler for every route; a route without one does not compile. */
export const handlers: Readonly<Record<RouteName, Handler>> = {
  'GET /status': async ({ simulation, env, right }) => {
    const head = { ...product, timestamp: Date.now() / 1000, auth: findSettings(env).GRID_AUTH }
    return respond(simulation.status(head, visibilityOf(right)))
  },
  'GET /simulation': ({ simulation, right }) => respond(simulation.simulation(visibilityOf(right))),
  'GET /topology': ({ simulation, right }) => respondOrRefuse(simulation.topology(visibilityOf(right))),
  'GET /attacks/current': ({ simulation }) => respond(simulation.attacks()),
  'GET /attacks/catalog': ({ simulation }) => respond(simulation.catalog()),
  'GET /grid/view': ({ simulation, right }) => respondOrRefuse(simulation.gridView(visibilityOf(right))),
  'GET /incidents': async ({ simulation, url, env, warnings }) => {
    const limit = parseLimit(query(url, 'limit'), retention.defaultIncidents)
    const selected = { limit, id: query(url, 'id'), proto: query(url, 'proto') }
    const { LEGACY_PROTO_FILTER: legacyProtoFilter } = findSettings(env)
    return jsonText(await simulation.incidents({ ...selected, legacyProtoFilter, warnings }))
  },
  'GET /packets/recent': async ({ simulation, url, warnings }) =>
    jsonText(await simulation.packets(parseLimit(query(url, 'limit'), retention.defaultPackets), warnings)),
  'GET /export/stix': (call) => download(call, { kind: 'stix', filename: 'sim_stix2.json', type: 'application/json' }),
  'GET /export/csv': async (call) =>
    download(call, { kind: parseColumns(query(call.url, 'columns')), filename: 'sim_incidents.csv', type: 'text/csv' }),
  'GET /export/pcap': async (call) =>
    download(call, { kind: captureKind(call), filename: 'sim_capture.pcap', type: 'application/vnd.tcpdump.pcap' }),
  'GET /export/pcapng': (call) =>
    download(call, { kind: 'pcapng', filename: 'sim_capture.pcapng', type: 'application/x-pcapng' }),
  'GET /export/labels': (call) =>
    download(call, { kind: 'labels', filename: 'sim_labels.jsonl', type: 'application/jsonl' }),
  'GET /export/session': (call) =>
    download(call, { kind: 'session', filename: 'sim_session.json', type: 'application/json' }),
  'GET /events': listen,
  'GET /ingest/commands': listenToCommands,
  'POST /events/ticket': ({ simulation, right }) => respondOrRefuse(simulation.createTicket(right)),
  'GET /docs': async () =>
    new Response(writeHelp(), {
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
        'x-content-type-options': 'nosniff',
        ...corsHeaders,
      },
    }),
  'GET /networks': listNetworks,
  'GET /networks/:network': showNetwork,
  'PUT /networks/:network': storeNetwork,
  'DELETE /networks/:network': deleteNetwork,
  'GET /simulations': listSimulations,
  'POST /simulations': createSimulation,
  'DELETE /simulations/:name': deleteSimulation,
  'GET /metrics': async ({ env }) => {
    const headers = { 'content-type': metricsType, 'cache-control': 'no-store', ...corsHeaders }
    return new Response(await collectMetrics(env), { headers })
  },
  'GET /openapi.json': async ({ basePath }) => json(describeApi(basePath, product.version)),
  'POST /attack/enable': async ({ simulation, request }) => {
    const body = await readJson(request, bodyLimits.control, maximumDepth)
    // The contract reads text that is not JSON as an empty object.
    const read = body.ok ? parseAttackEnable(body.value) : parseAttackEnable({}, body.reason)
    return respondOrRefuse(simulation.enableAttack(read))
  },
  'POST /attack/disable': async ({ simulation, request }) => {
    // At any depth: the contract allows any properties, and nothing here walks them.
    const body = await readJson(request, bodyLimits.control, Number.POSITIVE_INFINITY)
    return respondOrRefuse(simulation.disableAttack(readDisable(body)))
  },
  'GET /sim/config': ({ simulation }) => respond(simulation.configuration()),
  'POST /sim/config': async (call) => {
    const configuration = await withNetwork(call.env, parseConfiguration((await control(call)) ?? {}))
    await addSimulation(call)
    return respondOrRefuse(call.simulation.configure(configuration))
  },
  'POST /sim/start': ({ simulation }) => respondOrRefuse(simulation.start()),
  'POST /sim/stop': ({ simulation }) => respondOrRefuse(simulation.stop()),
  'POST /sim/reset': async (call) => {
    expectNothing(await control(call))
    return respondOrRefuse(call.simulation.reset())
  },
  'POST /sim/step': async (call) => respondOrRefuse(call.simulation.step(parseSteps(await control(call)))),
  'POST /sim/speed': async (call) => respondOrRefuse(call.simulation.setSpeed(parseSpeed(await control(call)))),
  'POST /grid/breaker': order(parseSwitch),
  'POST /grid/generator': order(parseGenerator),
  'POST /grid/acknowledge': order(parseAcknowledge),
  'POST /grid/join': order(parseJoin),
  'POST /grid/restore': order(parseRestore),
  'POST /grid/tap': order(parseTapOrder),
  'POST /grid/fault': order(parseFault),
  'POST /grid/load': order(parseLoad),
  'GET /scenarios': async () => json(listScenarios()),
  'GET /scenario': ({ simulation, right }) => respond(simulation.scenario(visibilityOf(right))),
  'POST /scenario': async (call) => {
    const body = await requireJson(call.request, bodyLimits.scenario)
    return respondOrRefuse(call.simulation.play(parsePlay(await withTables(call.env, body))))
  },
  'POST /scenario/answers': handIn,
  'GET /score': ({ simulation, url }) => respondOrRefuse(simulation.score(null, parseScore(queryOf(url)))),
  'POST /score': score,
  'GET /studies/contingency': study('contingency'),
  'GET /studies/cascade': study('cascade'),
  'GET /studies/fast-decoupled': study('fast-decoupled'),
  'GET /studies/dc-estimation': study('dc-estimation'),
  'POST /ingest/packets': async (call) =>
    respondOrRefuse(call.simulation.ingestPackets(parsePacketBatch(await ingest(call)))),
  'POST /ingest/topology': async (call) =>
    respondOrRefuse(call.simulation.ingestTopology(parseTopology(await ingest(call)))),
  'POST /ingest/status': async (call) =>
    respondOrRefuse(call.simulation.ingestStatus(parseExternalStatus(await ingest(call)))),
  'POST /ingest/pcap': async ({ simulation, request }) => {
    const bytes = await readBytes(request, bodyLimits.capture)
    if (bytes === null) {
      throw new GridError(
        'request_too_large',
        `Cannot ingest a capture: it is longer than ${bodyLimits.capture} bytes`,
        { hint: 'Cut it into parts, such as editcap -c 10000 makes' },
      )
    }
    return respondOrRefuse(simulation.ingestCapture(new Uint8Array(bytes)))
  },
}

/** Reads the body of a disable request; one that cannot be read ends nothing. */
function readDisable(body: JsonBody): AttackDisableRequest {
  if (body.ok) return parseAttackDisable(body.value)
  if (body.reason === 'it is empty') return parseAttackDisable(undefined)
  return { mistakes: [`the body cannot be read: ${body.reason}`] }
}

/** Keeps answers under the name of the token that hands them in. */
async function handIn(call: Call): Promise<Response> {
  const answers = parseAnswers(await control(call))
  const role = (await identify(call.request, findSettings(call.env).GRID_ROLES))?.owner
  return respondOrRefuse(call.simulation.handIn({ name: role?.name ?? 'operator', answers }))
}

/** Takes an order of an operator or a fault from the body. */
function order(parse: (body: unknown) => OrderBody): Handler {
  return async (call) => respondOrRefuse(call.simulation.order(parse(await control(call)), visibilityOf(call.right)))
}

const queryOf = (url: URL) => (name: string) => query(url, name)

function study(kind: StudyRequest['kind']): Handler {
  return ({ simulation, url }) => respondOrRefuse(simulation.study(parseStudy(kind, queryOf(url))))
}

async function score({ simulation, url, request }: Call): Promise<Response> {
  const asked = parseScore(queryOf(url))
  const body = await readText(request, alertBounds.bytes)
  if ('text' in body) return respondOrRefuse(simulation.score(body.text, asked))
  if (body.fault !== 'too_large') throw new GridError('invalid_request', 'Cannot read alerts: the body is not UTF-8')
  throw new GridError('request_too_large', `Cannot read alerts: they are longer than ${alertBounds.bytes} bytes`, {
    hint: 'Score a part of the run, or a whole data set with "sluice grid score --labels FILE"',
  })
}

const control = ({ request }: Call): Promise<unknown> => requireJson(request, bodyLimits.control)

const ingest = ({ request }: Call): Promise<unknown> => requireJson(request, bodyLimits.ingest)
