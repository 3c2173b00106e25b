/** All surfaces in one Worker with every token of an operator, for tests of what the surfaces share. */

import { createHash } from 'node:crypto'
import { operatorToken, startBundle } from './bundle.ts'
import { gatewayVars } from './gateway-bundle.ts'
import { gridToken } from './grid-service.ts'
import { host } from './host.ts'
import { adminToken } from './ratelimit-bundle.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** Tokens of SLUICE_TOKENS, by the name of their operator. */
export const tokens = {
  all: 'token-for-everything',
  reader: 'token-for-reading-all',
  grid: 'token-for-grid-writes',
  scrape: 'token-for-one-scrape',
}

/** The rules of the rate limiter. */
export const rules = 'domain: shop'
const vars = {
  ...gatewayVars,
  RATELIMIT_RULES: rules,
  ADMIN_TOKEN: adminToken,
  GRID_TOKEN: gridToken,
  STREAMNET_ADMIN_TOKEN: operatorToken,
  STREAMNET_NODE: 'read',
  LOG_FORMAT: 'json',
  SLUICE_TOKENS: JSON.stringify([
    { name: 'all', token: tokens.all, scopes: ['*'] },
    { name: 'reader', sha256: sha256(tokens.reader), scopes: ['*:read'] },
    { name: 'grid', sha256: sha256(tokens.grid), scopes: ['grid'] },
    { name: 'scrape', token: tokens.scrape, scopes: ['metrics'] },
  ]),
}

/** Starts it for the tests of a file. */
export function operatedDeployment() {
  const lines: string[] = []
  const bundle = host(() => startBundle({ worker: 'index', rebuild: true, vars, onLine: (line) => lines.push(line) }))
  return {
    /** Lines of the log. */
    lines,
    ask(path: string, token?: string, init: RequestInit = {}): Promise<Response> {
      const headers = { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...init.headers }
      return fetch(`${bundle.url}${path}`, { ...init, headers })
    },
  }
}
