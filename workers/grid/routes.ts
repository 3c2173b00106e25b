/** Every route of the grid's interface as data: the app, the allowed methods and the OpenAPI document walk it. */

import type { AnswerName } from '#grid/contract/answers.ts'
import { captureParameters } from '#grid/interface/capture-requests.ts'
import { scoreParameters } from '#grid/interface/score-requests.ts'
import { studyParameters } from '#grid/interface/study-requests.ts'
import { controlRoomTopics } from '#grid/records/broadcast.ts'
import type { Right } from '#grid/rights.ts'

/** One route below `/api/v1`. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  /** The least right that it needs. */
  readonly right: Right
  /** True when it needs no token. */
  readonly isPublic?: true
  /** True when it exists below `/api/v1` only, because it is about every simulation. */
  readonly isGlobal?: true
  readonly summary: string
  /** Success of a route: a content type, and the name of its shape where it has one. */
  readonly success: {
    readonly type: string
    readonly shape?: AnswerName
    /** Its shape for callers who see what the control room knows, where it is another. */
    readonly controlRoom?: AnswerName
  }
  /** Every other status that it may answer besides 405 for another method. */
  readonly statuses: readonly number[]
  readonly query?: Readonly<Record<string, string>>
  /** Parameters of which callers who see what the control room knows may send these values only. */
  readonly controlRoomQuery?: Readonly<Record<string, readonly string[]>>
  /** Content type of the body, for routes that take one. */
  readonly body?: string
}

type Success = Route['success']

const json = (shape: AnswerName, controlRoom?: AnswerName): Success => ({
  type: 'application/json',
  shape,
  ...(controlRoom !== undefined && { controlRoom }),
})
const file = (type: string): Success => ({ type })

/** Parts that only some routes have. */
type More = Pick<Route, 'isPublic' | 'isGlobal' | 'query' | 'controlRoomQuery' | 'body'>

const inJson: More = { body: 'application/json' }
const isGlobal = true

/** Parameters of the exports that can be about one incident. */
const ofIncident = { incident: "an incident's id: only it, or only the frames of two seconds around it" }
const ofFrames = { ...captureParameters, ...ofIncident }

/** A row of the table, which keeps its method and its path as types: handlers are keyed by them. */
const row =
  <Method extends Route['method']>(method: Method) =>
  <const Path extends string>(
    right: Right,
    path: Path,
    summary: string,
    success: Success,
    statuses: readonly number[],
    more: More = {},
  ) => {
    // Without a token all but public routes answer 401.
    const everyStatus = more.isPublic ? statuses : [401, ...statuses]
    return { method, right, path, summary, success, statuses: everyStatus, ...more }
  }

const get = row('GET')
const post = row('POST')
const put = row('PUT')
const remove = row('DELETE')

const order = <const Path extends string>(right: Right, path: Path, summary: string) =>
  post(right, path, summary, json('Command'), [400, 409, 413, 429], inJson)

const study = <const Path extends string>(
  path: Path,
  summary: string,
  shape: AnswerName,
  query: Record<string, string>,
) => get('trainer', path, summary, json(shape), [400, 409, 500], { query })

const ingest = <const Path extends string>(path: Path, summary: string, shape: AnswerName, more = inJson) =>
  post('trainer', path, summary, json(shape), [400, 409, 413], more)

/** The thirteen endpoints of the contract first, then all others. */
export const routes = [
  get('viewer', '/status', 'What the public may know', json('Status', 'ControlRoomStatus'), [500], { isPublic: true }),
  get('viewer', '/simulation', 'The simulation and its counters', json('Simulation', 'ControlRoomSimulation'), [500]),
  get('viewer', '/topology', 'Devices, links and the grid', json('Topology', 'ControlRoomTopology'), [500]),
  get('trainer', '/attacks/current', 'The enabled attacks', json('AttacksSnapshot'), [500]),
  get('trainer', '/incidents', 'The last retained incidents in chronological order', json('Incidents'), [500], {
    query: {
      limit: 'how many: 0 all, negative all but the first, default 100',
      proto: 'only this protocol',
      id: 'only the incident with this id',
    },
  }),
  get('trainer', '/packets/recent', 'The last retained packet summaries', json('Packets'), [500], {
    query: { limit: 'how many: 0 all, negative all but the first, default 50' },
  }),
  get('trainer', '/export/stix', 'STIX 2.1 bundle', file('application/json'), [404, 500], { query: ofIncident }),
  get('trainer', '/export/csv', 'Incidents as CSV', file('text/csv'), [500], {
    query: { columns: '`extended` adds seven columns to the nine' },
  }),
  get('viewer', '/export/pcap', 'The capture', file('application/vnd.tcpdump.pcap'), [404, 500], {
    query: {
      tap: "`before` shows the senders' side of the attackers, `after` (the default) the receivers'",
      ...ofFrames,
    },
    controlRoomQuery: { tap: ['after'], incident: [], label: [] },
  }),
  get('viewer', '/events', 'Attacked and dropped incidents as they happen', file('text/event-stream'), [400], {
    query: {
      ids: '`1` adds identifiers and honours Last-Event-ID',
      topics: 'a list of incident, grid, alarm, attack, gap, status, diagram',
      ticket: 'a single-use ticket in the place of the header',
    },
    controlRoomQuery: { topics: controlRoomTopics },
  }),
  get('viewer', '/docs', 'Help', file('text/html'), [500]),
  post('trainer', '/attack/enable', 'Enables an attack', json('AttackEnableResult'), [400, 413], inJson),
  post('trainer', '/attack/disable', 'Disables one attack or all', json('AttackDisableResult'), [413], inJson),
  post('viewer', '/events/ticket', 'A ticket for one event stream, good for a minute', json('Ticket'), [429]),
  get('trainer', '/attacks/catalog', 'Every type of attack with its parameters', json('Catalog'), []),
  get(
    'viewer',
    '/grid/view',
    'True, measured and estimated state, and the alarms',
    json('GridView', 'ControlRoomView'),
    [409],
  ),
  get('trainer', '/export/pcapng', 'The capture with labels as comments', file('application/x-pcapng'), [404], {
    query: ofFrames,
  }),
  get('trainer', '/export/labels', 'Ground truth, one JSON line for each frame', file('application/jsonl'), [404], {
    query: ofFrames,
  }),
  get(
    'trainer',
    '/export/session',
    'Configuration and commands: the session can be computed again',
    json('Session'),
    [],
  ),
  get('trainer', '/sim/config', 'The configuration', json('Configuration'), []),
  post('trainer', '/sim/config', 'A new session with a changed configuration', json('Simulation'), [400, 413], inJson),
  post('trainer', '/sim/start', 'Lets the clock drive the simulation', json('Simulation'), [409]),
  post('trainer', '/sim/stop', 'Stops it until it is started', json('Simulation'), [409]),
  post('trainer', '/sim/reset', 'A new session with the same configuration', json('Simulation'), [400, 413]),
  post('trainer', '/sim/step', 'Computes steps of 100 ms while stopped', json('Simulation'), [400, 409, 413], inJson),
  post('trainer', '/sim/speed', 'Simulated seconds per second', json('Simulation'), [400, 409, 413], inJson),
  order('trainee', '/grid/breaker', 'An operator opens or closes a breaker'),
  order('trainee', '/grid/generator', 'An operator connects, disconnects or sets the machine at a bus'),
  order('trainee', '/grid/acknowledge', 'An operator acknowledges alarms'),
  order('trainee', '/grid/join', 'An operator joins two islands'),
  order('trainee', '/grid/restore', 'An operator connects load'),
  order('trainee', '/grid/tap', 'An operator moves the tap of a transformer'),
  order('trainer', '/grid/fault', 'A fault of a line'),
  order('trainee', '/grid/load', 'An operator scales the loads'),
  get('trainer', '/scenarios', 'The scenarios of the library', json('Scenarios'), []),
  get('viewer', '/scenario', 'The scenario that the session plays', json('Scenario', 'ControlRoomScenario'), []),
  post('trainer', '/scenario', 'A new session that plays a scenario', json('Simulation'), [400, 404, 413], inJson),
  post('trainee', '/scenario/answers', 'Hands answers in, at the end', json('HandedIn'), [400, 409, 413, 429], inJson),
  get(
    'trainer',
    '/score',
    'The alarms of the control centre beside the truth of the capture',
    json('Score'),
    [400, 404, 500],
    { query: { tolerance: scoreParameters.tolerance, grace: scoreParameters.grace } },
  ),
  post(
    'trainer',
    '/score',
    'Alerts of a detector beside the truth of the capture',
    json('Score'),
    [400, 404, 413, 500],
    { body: 'text/plain', query: scoreParameters },
  ),
  study(
    '/studies/contingency',
    'Every outage of one branch, the worst first',
    'ContingencyStudy',
    studyParameters.contingency,
  ),
  study('/studies/cascade', 'Which overloads follow when breakers open', 'CascadeStudy', studyParameters.cascade),
  study(
    '/studies/fast-decoupled',
    "The fast decoupled power flow beside Newton's",
    'FastDecoupledStudy',
    studyParameters['fast-decoupled'],
  ),
  study(
    '/studies/dc-estimation',
    'The DC state estimate beside the AC estimate and the truth',
    'DcEstimationStudy',
    studyParameters['dc-estimation'],
  ),
  ingest('/ingest/packets', 'Messages of an outside simulator', 'Accepted'),
  ingest('/ingest/topology', 'Topology of an outside simulator', 'AcceptedTopology'),
  ingest('/ingest/status', 'Heartbeat of an outside simulator', 'AcceptedStatus'),
  ingest('/ingest/pcap', 'A capture file', 'Accepted', { body: 'application/vnd.tcpdump.pcap' }),
  get('trainer', '/ingest/commands', 'What an outside simulator is told to do', file('text/event-stream'), []),
  get('trainer', '/networks', 'Every stored network', json('Networks'), []),
  get('trainer', '/networks/:network', 'A stored network', file('application/json'), [400, 404], {
    query: { format: '`tables` (the default), `matpower` or `pandapower`' },
  }),
  put(
    'trainer',
    '/networks/:network',
    'Stores a MATPOWER case file or a network of pandapower',
    json('ImportedNetwork'),
    [400, 413, 429],
    { body: 'text/plain', query: { frequency: 'hertz of a MATPOWER case, which its file does not have; default 60' } },
  ),
  remove('trainer', '/networks/:network', 'Deletes a stored network', json('Deleted'), [400, 404]),
  get('operator', '/simulations', 'Every simulation', json('Simulations'), [], { isGlobal }),
  post('operator', '/simulations', 'Creates a simulation', json('Created'), [400, 409, 413, 429], {
    ...inJson,
    isGlobal,
  }),
  remove('operator', '/simulations/:name', 'Deletes a simulation', json('Deleted'), [404, 409], { isGlobal }),
  get('operator', '/metrics', 'Metrics of every simulation for Prometheus', file('text/plain'), [], { isGlobal }),
  get('viewer', '/openapi.json', 'This interface in OpenAPI 3.1', file('application/json'), []),
] as const satisfies readonly Route[]

/** The same without the types of single rows. */
export const everyRoute: readonly Route[] = routes

/** The name of a route's handler: its method and its path. */
export type RouteName = NameOf<(typeof routes)[number]>

/** Distributes over the routes, so that a method only goes with its own paths. */
type NameOf<One> = One extends {
  readonly method: infer Method extends string
  readonly path: infer Path extends string
}
  ? `${Method} ${Path}`
  : never

/** Tests that a path is one of a route; both are relative to the interface of a simulation. */
export function isAt({ path }: Pick<Route, 'path'>, asked: string): boolean {
  if (!path.includes(':')) return path === asked
  const [parts, words] = [path.split('/'), asked.split('/')]
  return parts.length === words.length && parts.every((part, at) => part.startsWith(':') || part === words[at])
}
