/** StreamWatchObject: one look for all listeners, news by height, and ends that say why. */

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { decodeBase64 } from '#base/base64.ts'
import { type IncomingEvent, readEvents } from '#base/event-stream.ts'
import type { StreamnetEnv } from '#objects/streamnet/env.ts'
import { StreamWatchObject } from '#objects/streamnet/stream-watch.ts'
import { decodeActionCall } from '#streamnet/codec/payload.ts'
import { createSigner, generateStreamId } from '#streamnet/index.ts'

// The pool gives the bindings of wrangler.toml, which are these.
const bindings = env as unknown as StreamnetEnv
const dataProvider = createSigner('1'.padStart(64, '0')).address
const streamId = generateStreamId('watched')

/** A node with one stream whose records carry the height that made them. */
function createFakeNode() {
  const node = {
    height: 1,
    records: [] as { date: number; value: string; height: number }[],
    error: null as string | null,
    reads: 0,
    /** Ends the requests that open a stream, where a test ends them. */
    signal: null as AbortSignal | null,
    /** Called before each read is answered. */
    onRead: async () => undefined as unknown,
    /** The streams of the same owner that the watched one is computed from. */
    below: [] as string[],
    insert(date: number, value: string) {
      node.height += 1
      node.records.push({ date, value: `${value}.000000000000000000`, height: node.height })
    },
  }
  const column = (name: string) => ({ name, is_array: false, metadata: [0, 0] })
  function read(params: { body: { payload: string } }) {
    const { action, args } = decodeActionCall(decodeBase64(params.body.payload))
    if (action === 'get_category_streams') return constituents()
    node.reads += 1
    const [, , from, , frozenAt] = args.map(({ value }) => (value === null ? undefined : Number(value)))
    const known = new Map<number, string>()
    for (const row of node.records) if (row.height <= (frozenAt ?? 0)) known.set(row.date, row.value)
    const rows = [...known].sort(([a], [b]) => a - b)
    const values = from === undefined ? rows.slice(-1) : rows.filter(([date]) => date >= from)
    return {
      query_result: {
        column_names: ['event_time', 'value'],
        column_types: [column('int8'), { ...column('numeric'), metadata: [36, 18] }],
        // The network gives 10,000 at once.
        values: values.slice(0, 10_000).map(([date, value]) => [String(date), value]),
      },
      logs: '',
      error: node.error,
    }
  }
  function constituents() {
    return {
      query_result: {
        column_names: ['data_provider', 'stream_id'],
        column_types: [column('text'), column('text')],
        values: [streamId, ...node.below].map((id) => [dataProvider, id]),
      },
      logs: '',
      error: null,
    }
  }
  const namespace = {
    getByName: () => ({
      async rpc(text: string) {
        const { id, method, params } = JSON.parse(text)
        if (method === 'user.call') await node.onRead()
        const result =
          method === 'user.call'
            ? read(params)
            : { chain_id: 'fake', block_height: node.height, block_hash: '00', gas: false }
        return { status: 200, text: JSON.stringify({ jsonrpc: '2.0', id, result }), isCut: false }
      },
    }),
  }
  // The few members of a namespace that the object uses.
  return { node, environment: { ...bindings, NODE: namespace } as unknown as StreamnetEnv }
}

let made = 0
async function watching(
  body: (
    open: (
      query?: Readonly<Record<string, string>>,
    ) => Promise<{ next: () => Promise<IncomingEvent>; close: () => unknown }>,
    node: ReturnType<typeof createFakeNode>['node'],
  ) => Promise<void>,
): Promise<void> {
  made += 1
  await runInDurableObject(bindings.STREAM_WATCH.getByName(`watch test ${made}`), async (_, state) => {
    const { node, environment } = createFakeNode()
    const object = new StreamWatchObject(state, environment)
    await body(async (query = {}) => {
      const search = new URLSearchParams({ stream_id: streamId, data_provider: dataProvider, ...query })
      const response = await object.fetch(new Request(`http://watch/?${search}`, { signal: node.signal }))
      if (!response.headers.get('content-type')?.startsWith('text/event-stream')) throw new Error(await response.text())
      const events = readEvents(response.body)
      return {
        next: async () => {
          const { value } = await events.next()
          if (!value) throw new Error('the stream has ended')
          return value
        },
        close: () => events.return(undefined),
      }
    }, node)
  })
}

/** Holds the read with this number, counted from now on, until it is released. */
function holdOne(node: ReturnType<typeof createFakeNode>['node'], number: number) {
  let release: () => void = () => undefined
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let reads = 0
  const isHeld = new Promise<void>((resolve) => {
    node.onRead = async () => {
      reads += 1
      if (reads !== number) return
      resolve()
      await released
    }
  })
  return { isHeld, release: () => release() }
}

const recordsOf = ({ data }: IncomingEvent) =>
  JSON.parse(data).records.map(({ date, value }: { date: number; value: string }) => [date, Number(value)])

describe('StreamWatchObject', () => {
  it('asks again at each look whether a bounded token covers what the stream is computed from', async () => {
    await watching(async (open, node) => {
      const hidden = generateStreamId('hidden')
      const scopes = JSON.stringify([{ verb: 'read', area: `${dataProvider}/${streamId}` }])
      node.insert(100, '1')
      const bounded = await open({ from: '100', scopes })
      const whole = await open({ from: '100' })
      expect([recordsOf(await bounded.next()), recordsOf(await whole.next())]).toEqual([[], []])
      node.below = [hidden]
      node.insert(200, '2')
      const last = await bounded.next()
      expect([last.event, JSON.parse(last.data).code]).toEqual(['problem', 'forbidden'])
      await expect(bounded.next()).rejects.toThrow('the stream has ended')
      expect(recordsOf(await whole.next())).toEqual([[200, 2]])
      await expect(open({ scopes })).rejects.toThrow('forbidden')
      await whole.close()
    })
  })

  it('sends every listener the new records from its own date on, by one read', async () => {
    await watching(async (open, node) => {
      node.insert(100, '1')
      node.insert(200, '2')
      const late = await open()
      const early = await open({ from: '100' })
      expect([recordsOf(await late.next()), recordsOf(await early.next())]).toEqual([[], []])
      const before = node.reads
      node.insert(100, '1')
      node.insert(150, '5')
      node.insert(300, '3')
      expect(recordsOf(await late.next())).toEqual([[300, 3]])
      const event = await early.next()
      expect(recordsOf(event)).toEqual([
        [150, 5],
        [300, 3],
      ])
      expect(event.lastEventId).toBe(String(node.height))
      expect(node.reads - before).toBeLessThanOrEqual(2)
      await late.close()
      await early.close()
    })
  })

  it('sends a listener without a date that reconnects the corrections before the latest record', async () => {
    await watching(async (open, node) => {
      node.insert(100, '1')
      const first = await open()
      await first.next()
      node.insert(200, '2')
      node.insert(300, '3')
      const { lastEventId } = await first.next()
      await first.close()
      expect(lastEventId).toBe(`${node.height}-100`)
      node.insert(200, '7')
      node.insert(50, '9')
      const back = await open({ last_event_id: lastEventId })
      const told = await back.next()
      expect([recordsOf(told), told.lastEventId]).toEqual([[[200, 7]], `${node.height}-100`])
      await back.close()
    })
  })

  it('sends a listener also what was read while its stream was being opened', async () => {
    await watching(async (open, node) => {
      node.insert(100, '1')
      const present = await open({ from: '0' })
      await present.next()
      const read = holdOne(node, 1)
      const opening = open({ from: '0' })
      await read.isHeld
      node.insert(200, '2')
      expect(recordsOf(await present.next())).toEqual([[200, 2]])
      read.release()
      const late = await opening
      const first = await late.next()
      expect([recordsOf(first), first.lastEventId]).toEqual([[[200, 2]], String(node.height)])
      await present.close()
      await late.close()
    })
  })

  it('looks from the earliest date of listeners that come at once', async () => {
    await watching(async (open, node) => {
      node.insert(300, '3')
      const present = await open({ from: '300' })
      const read = holdOne(node, 1)
      const opening = open({ from: '200' })
      await read.isHeld
      const earliest = await open({ from: '100' })
      read.release()
      const middle = await opening
      await earliest.next()
      node.insert(150, '5')
      node.insert(400, '4')
      expect(recordsOf(await earliest.next())).toEqual([
        [150, 5],
        [400, 4],
      ])
      for (const one of [present, earliest, middle]) await one.close()
    })
  })

  it('sends a listener that reconnects what it missed; an id from the future misses nothing', async () => {
    await watching(async (open, node) => {
      node.insert(100, '1')
      const seen = String(node.height)
      node.insert(100, '7')
      node.insert(400, '4')
      const back = await open({ from: '0', last_event_id: seen })
      expect(recordsOf(await back.next())).toEqual([
        [100, 7],
        [400, 4],
      ])
      const ahead = await open({ from: '0', last_event_id: '999999' })
      expect(recordsOf(await ahead.next())).toEqual([])
      await back.close()
      await ahead.close()
    })
  })

  it('leaves out no record when the window grows beyond what one read gives', async () => {
    await watching(async (open, node) => {
      for (let date = 1; date <= 9_990; date++) node.insert(date, '1')
      const present = await open({ from: '1' })
      const { lastEventId } = await present.next()
      for (let date = 9_991; date <= 10_020; date++) node.insert(date, '2')
      const added = Array.from({ length: 30 }, (_, index) => [9_991 + index, 2])
      expect(recordsOf(await present.next())).toEqual(added)
      const back = await open({ from: '1', last_event_id: lastEventId })
      expect(recordsOf(await back.next())).toEqual(added)
      await present.close()
      await back.close()
    })
  })

  it('keeps no place for a listener that has gone while its stream was being opened', async () => {
    await watching(async (open, node) => {
      node.insert(100, '1')
      const caller = new AbortController()
      node.signal = caller.signal
      const read = holdOne(node, 1)
      const opening = open({ from: '0' })
      await read.isHeld
      caller.abort()
      read.release()
      const gone = await opening
      await gone.next()
      await expect(gone.next()).rejects.toThrow('the stream has ended')
    })
  })

  it('has no more listeners than its bound when they come at once, and a place again when one has gone', async () => {
    await watching(async (open, node) => {
      node.insert(100, '1')
      const visitor = { public: 'true', from: '100' }
      const asked = await Promise.allSettled(Array.from({ length: 503 }, () => open(visitor)))
      const opened = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
      expect(opened).toHaveLength(500)
      const refusals = asked.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []))
      for (const refusal of refusals) expect(refusal).toContain('too_many')
      for (const listener of opened) {
        await listener.next()
        await listener.close()
      }
      const again = await open(visitor)
      await again.close()
    })
  })

  it('ends with the problem when the network refuses, and answers one when it cannot begin', async () => {
    await watching(async (open, node) => {
      node.insert(100, '1')
      const listener = await open()
      await listener.next()
      node.error = 'wallet not allowed to read'
      node.insert(200, '2')
      const problem = await listener.next()
      expect([problem.event, JSON.parse(problem.data).code]).toEqual(['problem', 'permission_denied'])
      await expect(listener.next()).rejects.toThrow('the stream has ended')
      await expect(open()).rejects.toThrow('permission_denied')
    })
  })
})
