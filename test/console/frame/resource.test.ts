import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { stubPage } from '#test/support/page-globals.ts'

beforeEach(() => {
  stubPage()
  vi.stubGlobal('document', { hidden: false })
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** Loads count up; each takes a second. */
async function start(everyMs?: number, outcome: () => unknown = () => null) {
  const { keepLoading } = await import('#console/frame/resource.ts')
  const stopping = new AbortController()
  const [loaded, failures]: [unknown[], unknown[]] = [[], []]
  let loads = 0
  const load = async () => {
    loads += 1
    const mine = loads
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    return outcome() ?? mine
  }
  const reload = keepLoading({
    load,
    everyMs,
    signal: stopping.signal,
    onData: (data) => loaded.push(data),
    onFailure: (failure) => failures.push(failure),
  })
  return { reload, loaded, failures, loads: () => loads, stop: () => stopping.abort() }
}

describe('keepLoading()', () => {
  it('does not end a load for the next one, so that those who ask faster than it answers get data', async () => {
    const { reload, loaded, loads, stop } = await start()
    for (let asked = 0; asked < 25; asked++) {
      await vi.advanceTimersByTimeAsync(100)
      reload()
    }
    expect([loaded, loads()]).toEqual([[1, 2], 3])
    await vi.advanceTimersByTimeAsync(5_000)
    expect(loaded).toEqual([1, 2, 3, 4])
    stop()
  })

  it('loads once more after its time, and never again once it is stopped', async () => {
    const { reload, loaded, loads, stop } = await start(2_000)
    await vi.advanceTimersByTimeAsync(3_500)
    expect([loaded, loads()]).toEqual([[1], 2])
    stop()
    reload()
    await vi.advanceTimersByTimeAsync(60_000)
    expect([loaded, loads()]).toEqual([[1], 2])
  })

  it('tries again where the server is away, and says so', async () => {
    const { ConsoleError } = await import('#console/frame/errors.ts')
    const away = () => {
      throw new ConsoleError('Cannot reach here', { status: 0 })
    }
    const { failures, loads, stop } = await start(undefined, away)
    await vi.advanceTimersByTimeAsync(4_500)
    expect(loads()).toBe(2)
    expect(failures).toMatchObject([{ status: 0, hint: expect.stringContaining('tries again by itself') }])
    stop()
  })
})
