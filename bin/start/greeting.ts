/** Greeting of `npm start` when everything runs: addresses, and one request for each surface. */

import { ownAddress } from './listeners.ts'
import { loopback, type StartOptions } from './options.ts'
import { type SecretName, type Secrets, tokenNames } from './secrets.ts'
import { startVariables } from './start-table.ts'
import type { ChosenPlacement } from './state-record.ts'

/** Writes the lines; a secret is shown in full only at the start that made it. */
export function greeting(options: StartOptions, secrets: Secrets, placement: ChosenPlacement, link: string): string {
  const base = ownAddress(options.host, options.port)
  const inForce = tokensInForce(options, secrets)
  const token = (name: SecretName) => (inForce.made.includes(name) ? secrets.values[name] : `$${name}`)
  const lines = [
    `Sluice runs on ${base} (state in ${options.persist}, Ctrl-C stops)`,
    `Console: ${base}/console`,
    `  signed in, once and within ten minutes: ${link}`,
    `  another link, while it runs: npx sluice console${persistOption(options)}`,
    '',
    ...ports(options),
    '',
    ...placementLines(placement),
    ...secretLines(inForce, secrets),
    '',
    'Try',
    `  curl ${base}/json -d '{"domain":"shop","descriptors":[{"entries":[{"key":"login","value":"me"}]}]}'`,
    `  curl ${base}/api/v1/status`,
    `  curl ${base}/api/v1/attack/enable -H "Authorization: Bearer ${token('GRID_TOKEN')}" -d '{"type":"NOISE","params":{}}'`,
    `  curl -N ${base}/api/v1/events -H "Authorization: Bearer ${token('GRID_TOKEN')}"`,
    `  curl "${base}/streamnet/v1/list_streams?limit=3" -H "Authorization: Bearer ${token('STREAMNET_TOKEN')}"`,
    '',
  ]
  return `${lines.join('\n')}\n`
}

/** The option that names the state folder to another command; empty for the default. */
function persistOption({ persist }: StartOptions): string {
  return persist === startVariables.SLUICE_STATE.fallback ? '' : ` --persist ${JSON.stringify(persist)}`
}

/** Tokens that are in force: made at this start, kept in the file (those made now too), or given beside the file. */
function tokensInForce({ vars }: StartOptions, { made }: Secrets) {
  const kept = tokenNames.filter((name) => vars[name] === undefined)
  const given = tokenNames.filter((name) => vars[name] !== undefined)
  return { made: kept.filter((name) => made.includes(name)), kept, given }
}

/** The tokens at the start that made them; later, how to get them from the file. */
function secretLines(
  { made, kept, given }: ReturnType<typeof tokensInForce>,
  { values, file }: Secrets,
): readonly string[] {
  const givenLines = given.map((name) => `${name} is given by --var or the environment.`)
  if (made.length > 0) {
    const shown = made.map((name) => `  export ${name}=${values[name]}`)
    return [`Secrets, shown this once and kept in ${file}:`, ...shown, ...givenLines]
  }
  if (kept.length === 0) return givenLines
  const path = JSON.stringify(file)
  return [
    `Secrets are those of the first start, kept in ${file}. For a shell:`,
    ...kept.map((name) => `  export ${name}=$(node -p 'require(${path}).${name}')`),
    ...givenLines,
  ]
}

function ports(options: StartOptions): readonly string[] {
  const { host, grpcHost, grpcPort, debugHost, debugPort, nodePort, adminPort, barePort, fieldPort, vars } = options
  const { metricsHost, metricsPort } = options
  return [
    { host: grpcHost, port: grpcPort, socket: vars.GRPC_UDS, what: 'rate limit, native gRPC' },
    { host: debugHost, port: debugPort, what: 'rate limit, operator plane (ADMIN_TOKEN)' },
    { host: metricsHost, port: metricsPort, what: 'rate limit, metrics without a token' },
    { port: nodePort, what: 'stream network, development node' },
    { host: loopback, port: adminPort, what: 'stream network, the node for its operator' },
    { host: loopback, port: fieldPort, what: 'outstations: bus N at this port + N, phasor unit N at + 500 + N' },
    { host: loopback, port: barePort, what: 'the runtime without its front' },
  ]
    .filter(({ port }) => port > 0)
    .map(({ port, what, socket, host: address = host }) => {
      const where = socket || `${address}:${port}`
      return `  ${where.padEnd(17)} ${what}`
    })
}

function placementLines({ placement, reason }: ChosenPlacement): readonly string[] {
  if (placement === 'shard' || reason === 'setting') return []
  return [
    'Counters of an earlier start are in an object for each key, and stay there. A caller with thousands of keys can',
    'use up this machine; --var COUNTER_PLACEMENT=shard limits what one caller can use, and starts all counters anew.',
    '',
  ]
}
