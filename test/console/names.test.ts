/** The names of rooms: what the search reads says nothing about the page that it was opened on. */

import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { stubPage } from '#test/support/page-globals.ts'

const rooms = [
  ['ratelimit', () => import('#console/ratelimit/names.ts')],
  ['grid', () => import('#console/grid/names.ts')],
  ['streams', () => import('#console/streamnet/names.ts')],
] as const

beforeEach(async () => {
  stubPage()
  vi.stubGlobal('fetch', async () => new Response('no', { status: 401 }))
  const { refused } = await import('#console/frame/session.ts')
  refused.value = new Set()
})
afterEach(() => {
  vi.unstubAllGlobals()
})

it.each(rooms)('readNames() of %s asks for no token on the page when it is refused', async (_, load) => {
  const { readNames } = await load()
  const { refused } = await import('#console/frame/session.ts')
  await expect(readNames(new AbortController().signal)).rejects.toMatchObject({ status: 401 })
  expect([...refused.value]).toEqual([])
})
