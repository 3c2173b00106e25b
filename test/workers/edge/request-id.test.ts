/** The id of a request on every surface: in its answer and in its log line. */

import { describe, expect, it } from 'vitest'
import { operatedDeployment } from '../../support/operated-deployment.ts'

const { ask, lines } = operatedDeployment()

describe('the request id', () => {
  const paths = ['/api/v1/status', '/stats', '/streamnet/v1', '/streamnet/node/api/v1/health', '/json'] as const

  it.each(paths)('of %s is the one that was sent, or a new one', async (path) => {
    const sent = await ask(path, undefined, { headers: { 'x-request-id': 'from-the-proxy.1' } })
    expect(sent.headers.get('x-request-id')).toBe('from-the-proxy.1')
    const made = await ask(path, undefined, { headers: { 'x-request-id': 'a b' } })
    // A decision says no id that its caller does not know.
    if (path === '/json') expect(made.headers.has('x-request-id')).toBe(false)
    else expect(made.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('is in the log line of every surface, with its name', async () => {
    const refused = ['/api/v1/simulation', '/streamnet/v1/list_streams', '/json'] as const
    for (const [at, path] of refused.entries()) {
      await (await ask(path, 'wrong', { headers: { 'x-request-id': `line-${at}` } })).text()
    }
    const found = () => {
      const objects = lines.filter((line) => line.includes('"line-')).map((line) => JSON.parse(line))
      return objects.map(({ surface, request_id, level }) => [surface, request_id, level])
    }
    await expect.poll(found, { timeout: 120_000 }).toEqual([
      ['grid', 'line-0', 'warning'],
      ['streamnet', 'line-1', 'warning'],
      ['ratelimit', 'line-2', 'warning'],
    ])
  })
})
