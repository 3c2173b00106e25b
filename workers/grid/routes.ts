/** Every route of the grid's interface as data: the app, the allowed methods and the OpenAPI document walk it. */

/** One route below `/api/v1`. */
export interface Route {
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** Whether anyone may ask. */
  readonly isPublic?: true
  readonly summary: string
  /** What a success is: a content type, and the name of its shape where it has one. */
  readonly success: { readonly type: string; readonly shape?: string }
  /** Every other status that it may answer besides 405 for another method. */
  readonly statuses: readonly number[]
  readonly query?: Readonly<Record<string, string>>
  /** Content type of the body, for routes that take one. */
  readonly body?: string
}

const json = (shape: string) => ({ type: 'application/json', shape })

/** The thirteen endpoints of the contract first, then what goes beyond it. */
export const routes = [
  {
    method: 'GET',
    path: '/status',
    isPublic: true,
    summary: 'What the public may know',
    success: json('Status'),
    statuses: [500],
  },
  {
    method: 'GET',
    path: '/simulation',
    summary: 'The simulation and its counters',
    success: json('Simulation'),
    statuses: [401, 500],
  },
  {
    method: 'GET',
    path: '/topology',
    summary: 'Devices, links and the grid',
    success: json('Topology'),
    statuses: [401, 500],
  },
  {
    method: 'GET',
    path: '/attacks/current',
    summary: 'The enabled attacks',
    success: json('AttacksSnapshot'),
    statuses: [401, 500],
  },
  {
    method: 'GET',
    path: '/incidents',
    summary: 'The last retained incidents in chronological order',
    success: json('Incidents'),
    statuses: [401, 500],
    query: { limit: 'how many: 0 all, negative all but the first, default 100', proto: 'only this protocol' },
  },
  {
    method: 'GET',
    path: '/packets/recent',
    summary: 'The last retained packet summaries',
    success: json('Packets'),
    statuses: [401, 500],
    query: { limit: 'how many: 0 all, negative all but the first, default 50' },
  },
  {
    method: 'GET',
    path: '/export/stix',
    summary: 'STIX 2.1 bundle',
    success: { type: 'application/json' },
    statuses: [401, 500],
  },
  {
    method: 'GET',
    path: '/export/csv',
    summary: 'Incidents as CSV',
    success: { type: 'text/csv' },
    statuses: [401, 500],
    query: { columns: '`extended` adds seven columns to the nine' },
  },
  {
    method: 'GET',
    path: '/export/pcap',
    summary: 'The capture',
    success: { type: 'application/vnd.tcpdump.pcap' },
    statuses: [401, 404, 500],
  },
  {
    method: 'GET',
    path: '/events',
    summary: 'Attacked and dropped incidents as they happen',
    success: { type: 'text/event-stream' },
    statuses: [401],
    query: {
      ids: '`1` adds identifiers and honours Last-Event-ID',
      topics: 'a list of incident, grid, alarm, attack, gap, status',
      ticket: 'a single-use ticket in the place of the header',
    },
  },
  { method: 'GET', path: '/docs', summary: 'Help', success: { type: 'text/html' }, statuses: [401, 500] },
  {
    method: 'POST',
    path: '/attack/enable',
    summary: 'Enables an attack',
    success: json('AttackEnableResult'),
    statuses: [400, 401, 413],
    body: 'application/json',
  },
  {
    method: 'POST',
    path: '/attack/disable',
    summary: 'Disables one attack or all',
    success: json('AttackDisableResult'),
    statuses: [401, 413],
    body: 'application/json',
  },
  {
    method: 'POST',
    path: '/events/ticket',
    summary: 'A ticket for one event stream, good for a minute',
    success: json('Ticket'),
    statuses: [401, 429],
  },
  {
    method: 'GET',
    path: '/attacks/catalog',
    summary: 'Every type of attack with its parameters',
    success: json('Catalog'),
    statuses: [401],
  },
  {
    method: 'GET',
    path: '/grid/view',
    summary: 'True, measured and estimated state, and the alarms',
    success: json('GridView'),
    statuses: [401, 409],
  },
  {
    method: 'GET',
    path: '/export/pcapng',
    summary: 'The capture with labels as comments',
    success: { type: 'application/x-pcapng' },
    statuses: [401, 404],
  },
  {
    method: 'GET',
    path: '/export/labels',
    summary: 'Ground truth, one JSON line for each frame',
    success: { type: 'application/jsonl' },
    statuses: [401, 404],
  },
  {
    method: 'GET',
    path: '/export/session',
    summary: 'Configuration and commands: the session can be computed again',
    success: json('Session'),
    statuses: [401],
  },
  {
    method: 'GET',
    path: '/sim/config',
    summary: 'The configuration',
    success: json('Configuration'),
    statuses: [401],
  },
  {
    method: 'POST',
    path: '/sim/config',
    summary: 'A new session with a changed configuration',
    success: json('Simulation'),
    statuses: [400, 401, 413],
    body: 'application/json',
  },
  {
    method: 'POST',
    path: '/sim/start',
    summary: 'Lets the clock drive the simulation',
    success: json('Simulation'),
    statuses: [401, 409],
  },
  {
    method: 'POST',
    path: '/sim/stop',
    summary: 'Stops it until it is started',
    success: json('Simulation'),
    statuses: [401, 409],
  },
  {
    method: 'POST',
    path: '/sim/reset',
    summary: 'A new session with the same configuration',
    success: json('Simulation'),
    statuses: [400, 401, 413],
  },
  {
    method: 'POST',
    path: '/sim/step',
    summary: 'Computes steps of 100 ms while stopped',
    success: json('Simulation'),
    statuses: [400, 401, 409, 413],
    body: 'application/json',
  },
  {
    method: 'POST',
    path: '/sim/speed',
    summary: 'Simulated seconds per second',
    success: json('Simulation'),
    statuses: [400, 401, 409, 413],
    body: 'application/json',
  },
  {
    method: 'POST',
    path: '/grid/breaker',
    summary: 'An operator opens or closes a breaker',
    success: json('Command'),
    statuses: [400, 401, 409, 413, 429],
    body: 'application/json',
  },
  {
    method: 'POST',
    path: '/grid/load',
    summary: 'An operator scales the loads',
    success: json('Command'),
    statuses: [400, 401, 409, 413, 429],
    body: 'application/json',
  },
  {
    method: 'POST',
    path: '/ingest/packets',
    summary: 'Messages of an outside simulator',
    success: json('Accepted'),
    statuses: [400, 401, 409, 413],
    body: 'application/json',
  },
  {
    method: 'POST',
    path: '/ingest/topology',
    summary: 'Topology of an outside simulator',
    success: json('Accepted'),
    statuses: [400, 401, 409, 413],
    body: 'application/json',
  },
  {
    method: 'POST',
    path: '/ingest/status',
    summary: 'Heartbeat of an outside simulator',
    success: json('Accepted'),
    statuses: [400, 401, 409, 413],
    body: 'application/json',
  },
  {
    method: 'POST',
    path: '/ingest/pcap',
    summary: 'A capture file',
    success: json('Accepted'),
    statuses: [400, 401, 409, 413],
    body: 'application/vnd.tcpdump.pcap',
  },
  {
    method: 'GET',
    path: '/ingest/commands',
    summary: 'What an outside simulator is told to do',
    success: { type: 'text/event-stream' },
    statuses: [401],
  },
  {
    method: 'GET',
    path: '/openapi.json',
    summary: 'This interface in OpenAPI 3.1',
    success: { type: 'application/json' },
    statuses: [401],
  },
] as const satisfies readonly Route[]

/** The name of a route's handler: its method and its path. */
export type RouteName = NameOf<(typeof routes)[number]>

/** Distributes over the routes, so that a method only goes with its own paths. */
type NameOf<One> = One extends {
  readonly method: infer Method extends string
  readonly path: infer Path extends string
}
  ? `${Method} ${Path}`
  : never
