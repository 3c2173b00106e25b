/** serverList: the servers of the settings, or of a service record that is looked up again without making requests wait. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { serverList } from '#objects/ratelimit/memcache/server-list.ts'
import { readSettings } from '#ratelimit/settings.ts'

const record = { BACKEND_TYPE: 'memcache', MEMCACHE_SRV: '_memcache._tcp.shop.example' }

let nowMs = 0
/** Requests to the resolver, each answered by a test. */
let lookups: { readonly url: string; readonly answer: (hosts: readonly string[] | null) => Promise<void> }[] = []

beforeEach(() => {
  nowMs = 1_000_000
  lookups = []
  vi.spyOn(Date, 'now').mockImplementation(() => nowMs)
  vi.stubGlobal('fetch', (url: string) => {
    let resolve = (_: Response) => {}
    let reject = (_: Error) => {}
    const promise = new Promise<Response>((onAnswer, onFailure) => {
      resolve = onAnswer
      reject = onFailure
    })
    lookups.push({
      url,
      async answer(hosts) {
        if (hosts === null) reject(new Error('the resolver is away'))
        else resolve(Response.json({ Status: 0, Answer: hosts.map((host) => ({ type: 33, data: `0 0 1 ${host}.` })) }))
        for (let turn = 0; turn < 20; turn++) await null
        await new Promise((done) => setTimeout(done, 0))
      },
    })
    return promise
  })
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

function open(vars: Readonly<Record<string, string>>) {
  const state = { failures: 0 }
  const list = serverList(readSettings(vars), () => {
    state.failures += 1
  })
  const hosts = async () => (await list()).map((server) => ('host' in server ? server.host : ''))
  return { hosts, state }
}

describe('serverList()', () => {
  it('the servers of the settings are used in their order, and nothing is looked up', async () => {
    const { hosts } = open({ BACKEND_TYPE: 'memcache', MEMCACHE_HOST_PORT: 'b:1,a:2' })
    expect([await hosts(), lookups]).toEqual([['b', 'a'], []])
  })

  it('the first requests wait for one lookup, and those after it for none', async () => {
    const { hosts } = open(record)
    const first = [hosts(), hosts()]
    expect(lookups.map(({ url }) => url)).toEqual([
      'https://cloudflare-dns.com/dns-query?name=_memcache._tcp.shop.example&type=SRV',
    ])
    await lookups[0]?.answer(['one', 'two'])
    expect(await Promise.all(first)).toEqual([
      ['one', 'two'],
      ['one', 'two'],
    ])
    nowMs += 10 ** 9
    expect([await hosts(), lookups.length]).toEqual([['one', 'two'], 1])
  })

  it('a record that is due again is looked up while requests go on with the old list', async () => {
    const { hosts, state } = open({ ...record, MEMCACHE_SRV_REFRESH: '1m' })
    const first = hosts()
    await lookups[0]?.answer(['one'])
    await first
    nowMs += 59_999
    await hosts()
    expect(lookups.length).toBe(1)
    nowMs += 1
    expect([await hosts(), await hosts(), lookups.length]).toEqual([['one'], ['one'], 2])
    await lookups[1]?.answer(null)
    expect([await hosts(), state.failures]).toEqual([['one'], 1])
    // The lookup failed, so the record is still due.
    expect(lookups.length).toBe(3)
    await lookups[2]?.answer(['two'])
    await expect.poll(hosts).toEqual(['two'])
  })

  it('there are no servers before a first lookup has worked, and each request tries again', async () => {
    const { hosts, state } = open(record)
    const first = hosts()
    await lookups[0]?.answer(null)
    expect([await first, state.failures]).toEqual([[], 1])
    const second = hosts()
    await lookups[1]?.answer(['one'])
    expect(await second).toEqual(['one'])
  })
})
