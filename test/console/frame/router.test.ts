/** The address and the history: Back closes what was opened last, and never leaves the view for it. */

import { beforeEach, describe, expect, it, vi } from 'vitest'

interface Entry {
  readonly state: unknown
  readonly address: string
}

/** A window's history: steps back happen later, and are announced then. */
function fakeHistory(first: string, state: unknown = null) {
  const entries: Entry[] = [{ state, address: first }]
  let at = 0
  const listeners: (() => void)[] = []
  const go = (by: number) => {
    setTimeout(() => {
      if (entries[at + by] === undefined) return
      at += by
      for (const listener of listeners) listener()
    })
  }
  const now = () => entries[at] as Entry
  const history = {
    get state() {
      return now().state
    },
    pushState(state: unknown, _: string, address = now().address) {
      at += 1
      entries.splice(at, entries.length, { state, address })
    },
    replaceState(state: unknown, _: string, address = now().address) {
      entries[at] = { state, address }
    },
    back: () => go(-1),
  }
  const location = {
    get pathname() {
      return now().address.split('?')[0]
    },
    get search() {
      return now().address.includes('?') ? now().address.replace(/[^?]*/, '') : ''
    },
  }
  vi.stubGlobal('history', history)
  vi.stubGlobal('location', location)
  vi.stubGlobal('document', { addEventListener() {} })
  vi.stubGlobal('addEventListener', (_: string, listener: () => void) => listeners.push(listener))
  return { addresses: () => entries.slice(0, at + 1).map(({ address }) => address), go }
}

async function open(first: string, state?: unknown) {
  const browser = fakeHistory(first, state)
  const router = await import('#console/frame/router.ts')
  const { openDialogEntry } = await import('#console/frame/back.ts')
  // The modules outlive a test, and the router read the address of the first one.
  const { pathname: path, searchParams: query } = new URL(first, 'http://console')
  router.route.value = { path, query }
  router.startRouter()
  /** The person's own Back. */
  const back = async () => {
    browser.go(-1)
    await settled()
  }
  return { ...router, openDialogEntry, back, ...browser }
}

/** Until the browser has made the steps that it was asked for: each is a task. */
async function settled(): Promise<void> {
  for (let task = 0; task < 5; task++) await new Promise((resolve) => setTimeout(resolve))
}

const room = '/console/ratelimit'
const keyOf = ({ query }: { readonly query: URLSearchParams }) => query.get('key')

beforeEach(() => vi.unstubAllGlobals())

describe('openPart()', () => {
  it('makes an entry, which Back leaves for the view without the part', async () => {
    const { openPart, route, back, addresses } = await open(room)
    openPart({ key: 'a' })
    expect(addresses()).toEqual([room, `${room}?key=a`])
    await back()
    expect([keyOf(route.value), addresses()]).toEqual([null, [room]])
  })

  it('takes the place of a part that is open', async () => {
    const { openPart, addresses, back } = await open(room)
    openPart({ key: 'a' })
    openPart({ key: 'b' })
    expect(addresses()).toEqual([room, `${room}?key=b`])
    await back()
    expect(addresses()).toEqual([room])
  })
})

describe('closePart()', () => {
  it('steps back at once, and keeps other changes of the query', async () => {
    const { openPart, setQuery, closePart, route, addresses } = await open(room)
    openPart({ key: 'a' })
    setQuery({ span: '1h' })
    closePart({ key: null })
    expect([keyOf(route.value), route.value.query.get('span')]).toEqual([null, '1h'])
    await settled()
    expect(addresses()).toEqual([`${room}?span=1h`])
  })

  it('steps back once when it is asked twice, and opens again from the view without a part', async () => {
    const { openPart, closePart, addresses } = await open('/')
    openPart({ key: 'a' })
    closePart({ key: null })
    closePart({ key: null })
    openPart({ key: 'b' })
    await settled()
    expect(addresses()).toEqual(['/', '/?key=b'])
  })

  it('stays at the entry of a link that has opened the part', async () => {
    const { closePart, addresses } = await open(`${room}?key=a`)
    closePart({ key: null })
    await settled()
    expect(addresses()).toEqual([room])
  })

  it('makes a change that comes before the browser has stepped back after that step', async () => {
    const { openPart, closePart, navigate, route, addresses } = await open(room)
    openPart({ key: 'a' })
    closePart({ key: null })
    navigate('/console/grid')
    expect(route.value.path).toBe('/console/grid')
    await settled()
    expect([route.value.path, addresses()]).toEqual(['/console/grid', [room, '/console/grid']])
  })
})

describe('openDialogEntry()', () => {
  it('makes an entry that Back closes, over a part that stays', async () => {
    const { openPart, openDialogEntry, back, addresses } = await open(room)
    const close = vi.fn()
    openPart({ key: 'a' })
    const leave = openDialogEntry(close)
    await back()
    leave()
    await settled()
    expect(close).toHaveBeenCalledOnce()
    expect(addresses()).toEqual([room, `${room}?key=a`])
  })

  it('takes its entry out of the history when the dialog is closed otherwise', async () => {
    const { openDialogEntry, addresses } = await open(room)
    const close = vi.fn()
    openDialogEntry(close)()
    await settled()
    expect(close).not.toHaveBeenCalled()
    expect(addresses()).toEqual([room])
  })

  it('lets another dialog follow at once, which the step back does not close', async () => {
    const { openDialogEntry, back, addresses } = await open(room)
    const [first, second] = [vi.fn(), vi.fn()]
    openDialogEntry(first)()
    openDialogEntry(second)
    await settled()
    expect(second).not.toHaveBeenCalled()
    expect(addresses()).toEqual([room, room])
    await back()
    expect(second).toHaveBeenCalledOnce()
    expect(addresses()).toEqual([room])
  })

  it('makes no entry for a dialog that is closed before the browser has stepped back', async () => {
    const { openDialogEntry, addresses } = await open(room)
    openDialogEntry(vi.fn())()
    openDialogEntry(vi.fn())()
    await settled()
    expect(addresses()).toEqual([room])
  })

  it('leaves its entry to the view that the dialog leads to', async () => {
    const { openDialogEntry, navigate, addresses, back, route } = await open(room)
    const leave = openDialogEntry(vi.fn())
    navigate('/console/grid?bus=9', 'replace')
    leave()
    await settled()
    expect(addresses()).toEqual([room, '/console/grid?bus=9'])
    await back()
    expect(route.value.path).toBe(room)
  })

  it('leaves the entry of a dialog that was closed by a reload', async () => {
    const browser = await open(room, { dialog: 3 })
    await settled()
    expect(browser.addresses()).toEqual([room])
  })
})
