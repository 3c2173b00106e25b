/** The bindings and secrets of the stream gateway and the development node, as `wrangler.toml` and the deployment give them. */

/** The environment of the stream gateway and the development node; the node's variables are those of `nodeVariables`. */
export interface StreamnetEnv {
  readonly NODE: DurableObjectNamespace<import('./node.ts').NodeObject>
  /** The gateway's key: its nonces, idempotent writes and bulk insertions. */
  readonly SIGNER: DurableObjectNamespace<import('./signer.ts').SignerObject>
  /** The gateway's live streams, one object for each watched stream. */
  readonly STREAM_WATCH: DurableObjectNamespace<import('./stream-watch.ts').StreamWatchObject>
  /** The counts of the gateway for a monitoring system. */
  readonly GATEWAY_STATS: DurableObjectNamespace<import('./gateway-stats.ts').GatewayStatsObject>
  /** A service binding to the rate limit service, for the gate of a Worker without one. */
  readonly RATELIMIT?: Fetcher
  /** Secret: 64 hex digits, the key that signs the gateway's writes; without it the gateway only reads. */
  readonly STREAMNET_PRIVATE_KEY?: string
  /** Secret: the gateway's token for everything. */
  readonly STREAMNET_TOKEN?: string
  /** Secret: further tokens with their scopes, as JSON; see `src/gateway/tokens.ts`. */
  readonly STREAMNET_TOKENS?: string
  /** Secret: opens the operator's port of the node, `/streamnet/admin`; without it that port is off. */
  readonly STREAMNET_ADMIN_TOKEN?: string
  /** Address of a real node or gateway of the network; the embedded development node when absent. */
  readonly STREAMNET_ENDPOINT?: string
  /** Secret: what callers of the node must show, beside its own signatures; any caller passes when absent. */
  readonly STREAMNET_NODE_TOKEN?: string
  /** Origins whose pages may use the gateway and the node: `*`, `none`, or a list; `*` when absent. */
  readonly STREAMNET_ALLOW_ORIGIN?: string
  /** Areas of scopes that may be read without a token, separated by commas; nothing when absent. */
  readonly STREAMNET_PUBLIC_READ?: string
  /** Names of the operations that such reads may use, separated by commas; see `src/gateway/public-read.ts`. */
  readonly STREAMNET_PUBLIC_OPERATIONS?: string
  /** Reads without a token that a client address may make in a minute. */
  readonly STREAMNET_PUBLIC_RATE?: string
  /** The chain that a real endpoint must be of, and the name of the development node's own. */
  readonly STREAMNET_CHAIN_ID?: string
  /** The files of `public`: the console. */
  readonly ASSETS?: Fetcher
}
