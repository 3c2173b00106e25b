import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { stubPage } from '#test/support/page-globals.ts'

beforeEach(() => {
  stubPage()
  vi.stubGlobal('fetch', async () => new Response('no', { status: 401 }))
})
afterEach(() => {
  vi.unstubAllGlobals()
})

/** The modules read the storage of the page as they are loaded, so that they are loaded once it is stubbed. */
async function loadFrame() {
  const { ask } = await import('#console/frame/api.ts')
  const { refused } = await import('#console/frame/session.ts')
  return { ask, refused: () => [...refused.value] }
}

it('ask() marks nothing for a request beside what the page is about', async () => {
  const { ask, refused } = await loadFrame()
  const before = refused()
  await expect(ask('ratelimit', '/aside', { isAside: true })).rejects.toMatchObject({ status: 401 })
  expect(refused()).toEqual(before)
})

it('ask() marks the service that refuses a token', async () => {
  const { ask, refused } = await loadFrame()
  await expect(ask('grid', '/')).rejects.toMatchObject({ status: 401 })
  expect(refused()).toContain('grid')
})
