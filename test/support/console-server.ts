/** A server of the console with rules of a shop, of which one key is refused already. */

import { expect } from 'vitest'
import { bundleConsole } from '#bin/bundle-console.ts'
import { type RunningBundle, startBundle } from './bundle.ts'

/** Secrets of every service. */
export const consoleVars = {
  ADMIN_TOKEN: 'admin',
  GRID_TOKEN: 'grid',
  STREAMNET_TOKEN: 'streams',
  STREAMNET_ADMIN_TOKEN: 'operator',
}

/** The tokens of a page that is let in everywhere. */
export const consoleTokens = { ratelimit: 'admin', grid: 'grid', streamnet: 'streams' }

/** The rules that the server begins with. */
export const shopRules = `domain: shop
descriptors:
  - key: login
    rate_limit:
      unit: day
      requests_per_unit: 5
  - key: path
    value: /search/*
    rate_limit:
      unit: second
      requests_per_unit: 50
`

/** The running server. */
export interface ConsoleServer extends RunningBundle {
  /** Sends a request of the operator to the rate limiter, which must answer with 200. */
  operate(method: string, path: string, body?: unknown): Promise<Response>
  /** Asks for a login of a name. @returns the status of the decision. */
  login(name: string): Promise<number>
}

/** Starts the server with every service. */
export async function startConsoleServer(): Promise<ConsoleServer> {
  await bundleConsole()
  const bundle = await startBundle({ worker: 'index', rebuild: true, vars: consoleVars })
  const server: ConsoleServer = {
    ...bundle,
    async operate(method, path, body) {
      const headers = { authorization: `Bearer ${consoleVars.ADMIN_TOKEN}` }
      const response = await fetch(`${bundle.url}/ratelimit${path}`, { method, headers, body: JSON.stringify(body) })
      expect(response.status).toBe(200)
      return response
    },
    async login(name) {
      const body = { domain: 'shop', descriptors: [{ entries: [{ key: 'login', value: name }] }] }
      const response = await fetch(`${bundle.url}/json`, { method: 'POST', body: JSON.stringify(body) })
      await response.text()
      return response.status
    },
  }
  await server.operate('PUT', '/config/files', { files: { 'config.shop.yaml': shopRules } })
  for (let at = 0; at < 8; at++) await server.login('mia')
  return server
}
