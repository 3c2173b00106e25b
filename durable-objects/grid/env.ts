/** The bindings and secrets of the grid simulation, as `wrangler.toml` and the deployment give them. */

/** Bindings and secrets of the grid simulation. */
export interface GridEnv {
  readonly SIMULATION: DurableObjectNamespace<import('./simulation.ts').SimulationObject>
  readonly RELAY: DurableObjectNamespace<import('./relay.ts').RelayObject>
  /** Names of the simulations besides the default one. */
  readonly SIMULATION_DIRECTORY: DurableObjectNamespace<import('./simulation-directory.ts').SimulationDirectoryObject>
  /** A service binding to the rate limit service, for the gate of a Worker without one. */
  readonly RATELIMIT?: Fetcher
  /** The one token of the interface; without it every protected route refuses every caller. */
  readonly GRID_TOKEN?: string
  /** The token of the front with the sockets of masters; without it the field is closed. */
  readonly FIELD_TOKEN?: string
  /** `off` switches token enforcement off; anything else leaves it on. */
  readonly GRID_AUTH?: string
  /** Number of relay objects that hold the event streams of each simulation; absent or 0 for none. */
  readonly GRID_RELAYS?: string
  /** `on` keeps the defect of the interface's first `proto` filter, which matches nothing. */
  readonly LEGACY_PROTO_FILTER?: string
  /** The syslog collector, such as `tls://logs.example:6514`; none when absent. */
  readonly GRID_SYSLOG_ADDRESS?: string
  /** The files of `public`: the console. */
  readonly ASSETS?: Fetcher
}
