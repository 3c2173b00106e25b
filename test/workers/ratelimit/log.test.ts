/** The log of the running service: the form and the level of its settings, and no secret. */

import { describe, expect, it, vi } from 'vitest'
import { hostServices } from '../../support/host-services.ts'
import { adminToken, oneLimit } from '../../support/ratelimit-servers.ts'

const lines: string[] = []

const { client } = hostServices(
  [
    { LOG_FORMAT: 'json', LOG_LEVEL: 'info' },
    { LOG_LEVEL: 'error' },
    { LOG_LEVEL: 'info', NEAR_LIMIT_RATIO: 'most', ADMIN_TOKEN: 'short-one' },
  ],
  { onLine: (line) => lines.push(line) },
)

/** The lines that an action adds, once one of them has the words. */
async function linesOf(action: () => Promise<unknown>, words: string): Promise<readonly string[]> {
  const before = lines.length
  await action()
  return vi.waitFor(() => {
    const added = lines.slice(before)
    if (!added.some((line) => line.includes(words))) throw new Error(`no line has ${words}: ${added}`)
    return added
  })
}

describe('the log', () => {
  it('is JSON with LOG_FORMAT=json, and has what LOG_LEVEL=info asks for', async () => {
    const [line = ''] = await linesOf(() => client(0).load([oneLimit('shop', 'day', 2)]), 'loaded new')
    expect(JSON.parse(line)).toEqual({
      '@message': 'Successfully loaded new configuration',
      '@timestamp': expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      level: 'info',
      revision: 1,
      surface: 'ratelimit',
      request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
  })

  it('is text otherwise, with nothing below LOG_LEVEL', async () => {
    await client(1).load([oneLimit('shop', 'day', 2)])
    const added = await linesOf(() => client(1).load(['domain: ""']), 'Error loading')
    expect(added).toEqual([
      expect.stringMatching(
        /^time="[\d-]+T[\d:]+Z" level=error msg="Error loading new configuration: config\.file0\.yaml: config file cannot have empty domain" surface=ratelimit request_id=[0-9a-f-]{36}$/,
      ),
    ])
    expect(lines.filter((line) => line.startsWith('time=') && line.includes('Successfully'))).toEqual([])
  })

  it('has an audit line for every counter that an operator changes, at any level', async () => {
    const headers = { from: 'ann@example' }
    const block = () => client(1).operate('/counters?key=shop_k_v_&seconds=5', { method: 'PUT', headers })
    expect(await linesOf(block, 'audit')).toEqual([
      expect.stringMatching(
        / msg="Counter changed by hand" audit="block for 5 s" key=shop_k_v_ who=ann@example surface=ratelimit /,
      ),
    ])
    const reset = () => client(1).operate('/counters?key=shop_k_v_', { method: 'DELETE', headers })
    expect(await linesOf(reset, 'audit')).toEqual([expect.stringContaining('audit=reset')])
  })

  it('names the setting that makes no sense', async () => {
    const added = await linesOf(() => fetch(`${client(2).url}/healthcheck`), 'NEAR_LIMIT_RATIO')
    expect(added[0]).toMatch(/level=error msg="Cannot be healthy" error=".*NEAR_LIMIT_RATIO/)
  })

  it('names a token that can be guessed, without it', async () => {
    // Written with the mistake above, once in the life of an isolate.
    await vi.waitFor(() => expect(lines.join('\n')).toMatch(/level=error msg="Not secure" error="ADMIN_TOKEN can/))
    expect(lines.filter((line) => line.includes('short-one'))).toEqual([])
  })

  it('never shows the token', () => {
    expect(lines.filter((line) => line.includes(adminToken))).toEqual([])
  })
})
