/** Starts the built rate limit service with a configuration and asks it for decisions over HTTP. */

import { type BundleOptions, type RunningBundle, startBundle } from './bundle.ts'

/** The operator plane's token in tests. */
export const adminToken = 'test-admin-token'

/** A decision as `/json` writes it. */
export interface Decision {
  readonly status: number
  readonly overallCode?: string
  readonly statuses?: readonly { readonly code: string; readonly limitRemaining?: number }[]
}

/** A rate limit service that runs. */
export interface RunningRatelimit extends RunningBundle {
  /** Asks for one decision; every descriptor is a list of `[key, value]`. */
  decide(
    domain: string,
    descriptors: readonly (readonly (readonly [string, string])[])[],
    hitsAddend?: number,
  ): Promise<Decision>
  /** Replaces the whole configuration: file name to text. */
  configure(files: Readonly<Record<string, string>>): Promise<void>
  /** The statistics by name. */
  stats(): Promise<ReadonlyMap<string, number>>
}

/** Starts only this service, as its own environment deploys it. */
export async function startRatelimit(
  options: Omit<BundleOptions, 'worker'>,
  files: Readonly<Record<string, string>>,
): Promise<RunningRatelimit> {
  const vars = { ADMIN_TOKEN: adminToken, ...options.vars }
  const bundle = await startBundle({ ...options, vars, worker: 'ratelimit' })
  const operator = { authorization: `Bearer ${adminToken}` }
  const service: RunningRatelimit = {
    ...bundle,
    async decide(domain, descriptors, hitsAddend) {
      const body = {
        domain,
        descriptors: descriptors.map((entries) => ({ entries: entries.map(([key, value]) => ({ key, value })) })),
        ...(hitsAddend !== undefined && { hitsAddend }),
      }
      const response = await fetch(`${bundle.url}/json`, { method: 'POST', body: JSON.stringify(body) })
      const text = await response.text()
      return { status: response.status, ...(text.startsWith('{') && JSON.parse(text)) }
    },
    async configure(changed) {
      const body = JSON.stringify({ files: changed })
      const response = await fetch(`${bundle.url}/config/files`, { method: 'PUT', headers: operator, body })
      if (!response.ok) throw new Error(`The configuration was refused: ${await response.text()}`)
    },
    async stats() {
      const text = await (await fetch(`${bundle.url}/stats`, { headers: operator })).text()
      const lines = text
        .trim()
        .split('\n')
        .map((line) => line.split(': '))
      return new Map(lines.map(([name = '', value]) => [name, Number(value)]))
    },
  }
  await service.configure(files)
  return service
}
