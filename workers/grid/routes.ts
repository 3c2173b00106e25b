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

/** A row without its method, right and path. */
interface Row extends Omit<Route, 'method' | 'right' | 'path' | 'statuses'> {
  /** None beside 401 when absent. */
  readonly statuses?: readonly number[]
}

const inJson = { body: 'application/json' }

/** Parameters of the exports that can be about one incident. */
const ofIncident = { incident: "an incident's id: only it, or only the frames of two seconds around it" }
const ofFrames = { ...captureParameters, ...ofIncident }

/** Makes rows of a method, which keep their method and path as types: handlers are keyed by them. */
const row =
  <Method extends Route['method']>(method: Method) =>
  <const Path extends string>(right: Right, path: Path, { statuses = [], ...more }: Row) => {
    // Without a token all but public routes answer 401.
    const everyStatus = more.isPublic ? statuses : [401, ...statuses]
    return { method, right, path, statuses: everyStatus, ...more }
  }

const get = row('GET')
const post = row('POST')
const put = row('PUT')
const remove = row('DELETE')

const order = <const Path extends string>(right: Right, path: Path, summary: string) =>
  post(right, path, { summary, success: json('Command'), statuses: [400, 409, 413, 429], ...inJson })

/** An order about the session or its clock. */
const session = <const Path extends string>(path: Path, summary: string, statuses: readonly number[], more = {}) =>
  post('trainer', path, { summary, success: json('Simulation'), statuses, ...more })

const download = <const Path extends string>(
  path: Path,
  type: string,
  summary: string,
  statuses: readonly number[],
  query: Record<string, string>,
) => get('trainer', path, { summary, success: file(type), statuses, query })

const study = <const Kind extends keyof typeof studyParameters>(kind: Kind, summary: string, shape: AnswerName) =>
  get('trainer', `/studies/${kind}`, {
    summary,
    success: json(shape),
    statuses: [400, 409, 500],
    query: studyParameters[kind],
  })

const ingest = <const Path extends string>(path: Path, summary: string, shape: AnswerName, more = inJson) =>
  post('trainer', path, { summary, success: json(shape), statuses: [400, 409, 413], ...more })

/** The thirteen endpoints of the contract first, then all others. */
export const routes = [
  get('viewer', '/status', {
    summary: 'What the public may know',
    success: json('Status', 'ControlRoomStatus'),
    statuses: [500],
    isPublic: true,
  }),
  get('viewer', '/simulation', {
    summary: 'The simulation and its counters',
    success: json('Simulation', 'ControlRoomSimulation'),
    statuses: [500],
  }),
  get('viewer', '/topology', {
    summary: 'Devices, links and the grid',
    success: json('Topology', 'ControlRoomTopology'),
    statuses: [409, 500],
  }),
  get('trainer', '/attacks/current', {
    summary: 'The enabled attacks',
    success: json('AttacksSnapshot'),
    statuses: [500],
  }),
  get('trainer', '/incidents', {
    summary: 'The last retained incidents in chronological order',
    success: json('Incidents'),
    statuses: [500],
    query: {
      limit: 'how many: 0 all, negative all but the first, default 100',
      proto: 'only this protocol',
      id: 'only the incident with this id',
    },
  }),
  get('trainer', '/packets/recent', {
    summary: 'The last retained packet summaries',
    success: json('Packets'),
    statuses: [500],
    query: { limit: 'how many: 0 all, negative all but the first, default 50' },
  }),
  download('/export/stix', 'application/json', 'STIX 2.1 bundle', [404, 500], ofIncident),
  download('/export/csv', 'text/csv', 'Incidents as CSV', [400, 500], {
    columns: '`extended` adds seven columns to the nine',
  }),
  get('viewer', '/export/pcap', {
    summary: 'The capture',
    success: file('application/vnd.tcpdump.pcap'),
    statuses: [400, 404, 500],
    query: {
      tap: "`before` shows the senders' side of the attackers, `after` (the default) the receivers'",
      ...ofFrames,
    },
    controlRoomQuery: { tap: ['after'], incident: [], label: [] },
  }),
  get('viewer', '/events', {
    summary: 'Attacked and dropped incidents as they happen',
    success: file('text/event-stream'),
    statuses: [400, 429],
    query: {
      ids: '`1` adds identifiers and honours Last-Event-ID',
      topics: 'a list of incident, grid, alarm, attack, gap, status, diagram',
      ticket: 'a single-use ticket in the place of the header',
    },
    controlRoomQuery: { topics: controlRoomTopics },
  }),
  get('viewer', '/docs', { summary: 'Help', success: file('text/html'), statuses: [500] }),
  post('trainer', '/attack/enable', {
    summary: 'Enables an attack',
    success: json('AttackEnableResult'),
    statuses: [400, 413],
    ...inJson,
  }),
  post('trainer', '/attack/disable', {
    summary: 'Disables one attack or all',
    success: json('AttackDisableResult'),
    statuses: [413],
    ...inJson,
  }),
  post('viewer', '/events/ticket', {
    summary: 'A ticket for one event stream, good for a minute',
    success: json('Ticket'),
    statuses: [429],
  }),
  get('trainer', '/attacks/catalog', { summary: 'Every type of attack with its parameters', success: json('Catalog') }),
  get('viewer', '/grid/view', {
    summary: 'True, measured and estimated state, and the alarms',
    success: json('GridView', 'ControlRoomView'),
    statuses: [409],
  }),
  download('/export/pcapng', 'application/x-pcapng', 'The capture with labels as comments', [400, 404], ofFrames),
  download('/export/labels', 'application/jsonl', 'Ground truth, one JSON line for each frame', [400, 404], ofFrames),
  get('trainer', '/export/session', {
    summary: 'Configuration and commands: the session can be computed again',
    success: json('Session'),
  }),
  get('trainer', '/sim/config', { summary: 'The configuration', success: json('Configuration') }),
  session('/sim/config', 'A new session with a changed configuration', [400, 404, 413, 429], inJson),
  session('/sim/start', 'Lets the clock drive the simulation', [409, 429]),
  session('/sim/stop', 'Stops it until it is started', [409]),
  session('/sim/reset', 'A new session with the same configuration', [400, 413]),
  session('/sim/step', 'Computes steps of 100 ms while stopped', [400, 409, 413], inJson),
  session('/sim/speed', 'Simulated seconds per second', [400, 409, 413], inJson),
  order('trainee', '/grid/breaker', 'An operator opens or closes a breaker'),
  order('trainee', '/grid/generator', 'An operator connects, disconnects or sets the machine at a bus'),
  order('trainee', '/grid/acknowledge', 'An operator acknowledges alarms'),
  order('trainee', '/grid/join', 'An operator joins two islands'),
  order('trainee', '/grid/restore', 'An operator connects load'),
  order('trainee', '/grid/tap', 'An operator moves the tap of a transformer'),
  order('trainer', '/grid/fault', 'A fault of a line'),
  order('trainee', '/grid/load', 'An operator scales the loads'),
  get('trainer', '/scenarios', { summary: 'The scenarios of the library', success: json('Scenarios') }),
  get('viewer', '/scenario', {
    summary: 'The scenario that the session plays',
    success: json('Scenario', 'ControlRoomScenario'),
  }),
  session('/scenario', 'A new session that plays a scenario', [400, 404, 413], inJson),
  post('trainee', '/scenario/answers', {
    summary: 'Hands answers in, at the end',
    success: json('HandedIn'),
    statuses: [400, 409, 413, 429],
    ...inJson,
  }),
  get('trainer', '/score', {
    summary: 'The alarms of the control centre beside the truth of the capture',
    success: json('Score'),
    statuses: [400, 404, 500],
    query: { tolerance: scoreParameters.tolerance, grace: scoreParameters.grace },
  }),
  post('trainer', '/score', {
    summary: 'Alerts of a detector beside the truth of the capture',
    success: json('Score'),
    statuses: [400, 404, 413, 500],
    body: 'text/plain',
    query: scoreParameters,
  }),
  study('contingency', 'Every outage of one branch, the worst first', 'ContingencyStudy'),
  study('cascade', 'Which overloads follow when breakers open', 'CascadeStudy'),
  study('fast-decoupled', "The fast decoupled power flow beside Newton's", 'FastDecoupledStudy'),
  study('dc-estimation', 'The DC state estimate beside the AC estimate and the truth', 'DcEstimationStudy'),
  ingest('/ingest/packets', 'Messages of an outside simulator', 'Accepted'),
  ingest('/ingest/topology', 'Topology of an outside simulator', 'AcceptedTopology'),
  ingest('/ingest/status', 'Heartbeat of an outside simulator', 'AcceptedStatus'),
  ingest('/ingest/pcap', 'A capture file', 'Accepted', { body: 'application/vnd.tcpdump.pcap' }),
  get('trainer', '/ingest/commands', {
    summary: 'What an outside simulator is told to do',
    success: file('text/event-stream'),
    statuses: [429],
  }),
  get('trainer', '/networks', { summary: 'Every stored network', success: json('Networks') }),
  get('trainer', '/networks/:network', {
    summary: 'A stored network',
    success: file('application/json'),
    statuses: [400, 404],
    query: { format: '`tables` (the default), `matpower` or `pandapower`' },
  }),
  put('trainer', '/networks/:network', {
    summary: 'Stores a MATPOWER case file or a network of pandapower',
    success: json('ImportedNetwork'),
    statuses: [400, 413, 429],
    body: 'text/plain',
    query: { frequency: 'hertz of a MATPOWER case, which its file does not have; default 60' },
  }),
  remove('trainer', '/networks/:network', {
    summary: 'Deletes a stored network',
    success: json('Deleted'),
    statuses: [400, 404],
  }),
  get('operator', '/simulations', { summary: 'Every simulation', success: json('Simulations'), isGlobal: true }),
  post('operator', '/simulations', {
    summary: 'Creates a simulation',
    success: json('Created'),
    statuses: [400, 404, 409, 413, 429],
    ...inJson,
    isGlobal: true,
  }),
  remove('operator', '/simulations/:name', {
    summary: 'Deletes a simulation',
    success: json('Deleted'),
    statuses: [404, 409],
    isGlobal: true,
  }),
  get('operator', '/metrics', {
    summary: 'Metrics of every simulation for Prometheus',
    success: file('text/plain'),
    isGlobal: true,
  }),
  get('viewer', '/openapi.json', { summary: 'This interface in OpenAPI 3.1', success: file('application/json') }),
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
