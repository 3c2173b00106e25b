import { afterEach, expect, it, vi } from 'vitest'
import { stubPage } from '#test/support/page-globals.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

it('watchSite() goes on asking after an answer that is not JSON', async () => {
  stubPage()
  vi.useFakeTimers()
  const site = { version: '1', hasToken: false, surfaces: [] }
  const answers = [new Response('<!doctype html>'), Response.json(site)]
  vi.stubGlobal('fetch', async () => answers.shift() ?? new Response(null, { status: 502 }))
  const rooms = await import('#console/frame/rooms.ts')
  void rooms.watchSite()
  await vi.advanceTimersByTimeAsync(1_000)
  expect([rooms.isReached.value, rooms.site.value]).toEqual([false, null])
  await vi.advanceTimersByTimeAsync(2_000)
  expect([rooms.isReached.value, rooms.site.value]).toEqual([true, site])
  rooms.site.value = null
})
