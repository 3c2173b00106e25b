/** Rules that come with a deployment: what the first request finds, and that an operator's rules stay. */

import { describe, expect, it } from 'vitest'
import { pushFiles } from '#bin/ratelimit/push.ts'
import { startBundle } from '../../support/bundle.ts'
import { host } from '../../support/host.ts'

const rulesOf = (domain: string, requests: number) =>
  `domain: ${domain}\ndescriptors: [{key: login, rate_limit: {unit: day, requests_per_unit: ${requests}}}]\n`
const vars = { ADMIN_TOKEN: 'operator', RATELIMIT_RULES: `${rulesOf('shop', 3)}---\n${rulesOf('bank', 4)}` }

const service = host(() => startBundle({ worker: 'ratelimit', vars }))

async function limitOf(domain: string): Promise<unknown> {
  const body = JSON.stringify({ domain, descriptors: [{ entries: [{ key: 'login', value: 'me' }] }] })
  const response = await fetch(`${service.url}/json`, { method: 'POST', body })
  const { statuses } = (await response.json()) as {
    readonly statuses: readonly { readonly currentLimit?: { readonly requestsPerUnit: number } }[]
  }
  return statuses[0]?.currentLimit?.requestsPerUnit
}

describe('RATELIMIT_RULES', () => {
  it('decides the first request of a service that never had rules, by every document', async () => {
    expect(await limitOf('shop')).toBe(3)
    expect(await limitOf('bank')).toBe(4)
  })

  it('is a revision of the configuration like any other', async () => {
    const response = await fetch(`${service.url}/config`, { headers: { authorization: 'Bearer operator' } })
    expect(await response.json()).toMatchObject({ revision: 1, revisions: [{ revision: 1, who: 'deployment' }] })
  })

  it('keeps what an operator has pushed, through a restart and with other rules', async () => {
    const operator = { url: service.url, token: 'operator', who: 'ann' }
    const pushed = await pushFiles(operator, [{ key: 'config.shop.yaml', text: rulesOf('shop', 9), path: 'shop.yaml' }])
    expect(pushed).toMatchObject({ kind: 'accepted', revision: 2 })
    await service.restart({ ...vars, RATELIMIT_RULES: rulesOf('shop', 5) })
    expect(await limitOf('shop')).toBe(9)
  })

  it('with a mistake is a service that is not healthy', async () => {
    await service.restart({ ...vars, RATELIMIT_RULES: 'domian: shop' })
    expect((await fetch(`${service.url}/healthcheck`)).status).toBe(500)
    await service.restart(vars)
  })
})
