import { afterEach, expect, it, vi } from 'vitest'
import { stubPage } from '#test/support/page-globals.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

it('readNames() keeps the names of the network where they cannot be read again', async () => {
  stubPage({
    '/streamnet/v1/list_streams': () => Response.json({ result: [] }),
    '/streamnet/v1/list_markets': () => Response.json({ result: [] }),
    '/streamnet/v1/list_metadata_by_height': () => new Response('busy', { status: 429 }),
  })
  const { readNames } = await import('#console/streamnet/names.ts')
  const book = await import('#console/streamnet/name-book.ts')
  const stream = { data_provider: '0xa', stream_id: 'st1' }
  book.offerNetworkNames([{ ...stream, value_s: 'eggs' }])
  await readNames(new AbortController().signal)
  expect(book.findName(stream)).toBe('eggs')
  book.offerNetworkNames([])
})
