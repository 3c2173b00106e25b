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

it.each([
  [
    'a page in the place of JSON',
    () => new Response('<!doctype html>', { status: 200 }),
    -1,
    /^Cannot GET \/a: .*not JSON/,
  ],
  [
    'a page of an error',
    () => new Response('<html><body>Bad</body></html>', { status: 502 }),
    502,
    /^Cannot GET \/a: status 502$/,
  ],
  ['an answer that breaks off', () => new Response(brokenOff()), 0, /^Cannot reach here/],
])('ask() says in words that it got %s', async (_, answer, status, message) => {
  vi.stubGlobal('fetch', async () => answer())
  const { ask } = await loadFrame()
  await expect(ask('grid', '/a')).rejects.toMatchObject({ status, message: expect.stringMatching(message) })
})

function brokenOff(): ReadableStream<Uint8Array> {
  return new ReadableStream({ start: (controller) => controller.error(new TypeError('network error')) })
}

it('ask() takes a token that no header can carry for a wrong one', async () => {
  const { ask, refused } = await loadFrame()
  const { tokens } = await import('#console/frame/session.ts')
  tokens.value = { streamnet: 'a\u200bb' }
  await expect(ask('streamnet', '/a')).rejects.toMatchObject({ message: /STREAMNET_TOKEN is wrong/, status: 401 })
  expect(refused()).toContain('streamnet')
  const token = { name: 'OPERATOR', value: '…' }
  await expect(ask('streamnet', '/a', { token })).rejects.toMatchObject({ message: /OPERATOR is wrong/, status: 401 })
  tokens.value = {}
})
