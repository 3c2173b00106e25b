/** Questions to a deployment, without a token: its parts are there, and what needs a token is closed. */

/** One request, and the statuses that are right. */
export interface Check {
  /** The surface that it is about, by its name in `/healthz`; null for every deployment. */
  readonly surface: string | null
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: string
  readonly right: readonly number[]
  readonly expected: string
}

const closed = { right: [401, 403], expected: 'closed to strangers (401 or 403)' } as const

/** A decision of a domain that no rule has counts nothing. */
const decision = JSON.stringify({ domain: 'smoke', descriptors: [{ entries: [{ key: 'smoke', value: 'test' }] }] })

/** All checks, in the order of a report. None of them changes anything, also where a deployment is open by mistake. */
export const checks: readonly Check[] = [
  { surface: null, method: 'GET', path: '/readyz', right: [200], expected: 'every part ready (200)' },
  { surface: null, method: 'GET', path: '/metrics', ...closed },
  {
    surface: 'ratelimit',
    method: 'POST',
    path: '/json',
    body: decision,
    right: [200, 401],
    expected: 'a decision (200), or a question for a token (401)',
  },
  { surface: 'ratelimit', method: 'GET', path: '/rlconfig', ...closed },
  { surface: 'grid', method: 'GET', path: '/api/v1/status', right: [200], expected: 'the status of the grid (200)' },
  { surface: 'grid', method: 'POST', path: '/api/v1/attack/enable', body: '{}', ...closed },
  {
    surface: 'streamnet',
    method: 'GET',
    path: '/streamnet/v1/openapi.json',
    right: [200],
    expected: 'the description of the gateway (200)',
  },
  { surface: 'streamnet', method: 'GET', path: '/streamnet/v1/list_streams?limit=1', ...closed },
]
