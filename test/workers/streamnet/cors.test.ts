import { describe, expect, it } from 'vitest'
import { allowPages, isForeignPage } from '#workers/streamnet/cors.ts'

const page = 'https://page.example'

/** The origin that may read an answer of a path, and what the answer tells caches that it varies by. */
function ask(setting: string | undefined, origin: string | null, path = '/rpc/v1') {
  const request = new Request(`https://node.example${path}`, { headers: origin === null ? {} : { origin } })
  const env = setting === undefined ? {} : { STREAMNET_ALLOW_ORIGIN: setting }
  const { headers } = allowPages(request, env, new Response('', { headers: { vary: 'authorization' } }))
  return [headers.get('access-control-allow-origin'), headers.get('vary')]
}

describe('allowPages()', () => {
  it('allows every page without a setting, with one answer for all', () => {
    expect(ask(undefined, page)).toEqual(['*', 'authorization'])
    expect(ask('*', null)).toEqual([null, 'authorization'])
  })

  it('tells caches that answers vary by Origin where a list is set, for pages that it refuses and for others too', () => {
    expect(ask(page, page)).toEqual([page, 'authorization, Origin'])
    expect(ask(page, 'https://other.example')).toEqual([null, 'authorization, Origin'])
    expect(ask(page, null)).toEqual([null, 'authorization, Origin'])
  })

  it("adds nothing to answers of the operator's port", () => {
    expect(ask(page, page, '/streamnet/admin/rpc/v1')).toEqual([null, 'authorization'])
  })
})

describe('isForeignPage()', () => {
  it.each([
    [{}, false],
    [{ origin: 'https://node.example' }, false],
    [{ origin: page }, true],
    [{ 'sec-fetch-site': 'none' }, false],
    [{ 'sec-fetch-site': 'cross-site' }, true],
  ])('of %j is %s', (headers, expected) => {
    expect(isForeignPage(new Request('https://node.example/rpc/v1', { headers }))).toBe(expected)
  })
})
