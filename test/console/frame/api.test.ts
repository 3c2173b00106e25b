import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { stubPage } from '#test/support/page-globals.ts'

beforeEach(() => {
  stubPage()
  vi.stubGlobal('fetch', async () => new Response('no', { status: 401 }))
})
afterEach(() => {
  vi.unstubAllGlobals()
})

it('ask() marks a service that refuses its token, except for a request that is aside', async () => {
  const { ask } = await import('#console/frame/api.ts')
  const { refused } = await import('#console/frame/session.ts')
  await expect(ask('grid', '/aside', { isAside: true })).rejects.toMatchObject({ status: 401 })
  expect([...refused.value]).toEqual([])
  await expect(ask('grid', '/')).rejects.toMatchObject({ status: 401 })
  expect([...refused.value]).toEqual(['grid'])
})
