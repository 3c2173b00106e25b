/** The listeners of an object: one piece for all with the same filter, and none slowed by another. */

import { describe, expect, it, vi } from 'vitest'
import { type EncodedEvent, encodeStreamEvent, queueCapacity, type Topic } from '#grid/records/broadcast.ts'
import { createListeners, type Listeners, maximumListeners } from '#objects/grid/listeners.ts'

const opening = new TextEncoder().encode(': opening\n\n')

function event(topic: Topic, number: number): EncodedEvent {
  return encodeStreamEvent({ topic, number, data: { number } }, '0123456789abcdef')
}

/** One stream and everything that was read from it. */
function listen(listeners: Listeners, topics: readonly Topic[], withIds = false) {
  const { body } = listeners.open({ topics: new Set(topics), withIds, visibility: 'full' }, [opening])
  if (body === null) throw new Error('a stream without a body')
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  return {
    reader,
    /** Reads until the text ends so; gives all of it. */
    async until(end: string): Promise<string> {
      while (!text.endsWith(end)) {
        const { done, value } = await reader.read()
        if (done) break
        text += decoder.decode(value, { stream: true })
      }
      return text
    },
    async rest(): Promise<string> {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return text
        text += decoder.decode(value, { stream: true })
      }
    },
  }
}

describe('createListeners()', () => {
  it('opens no more streams than its bound, and one more when one has gone', () => {
    const listeners = createListeners()
    const open = (signal?: AbortSignal) =>
      listeners.open({ topics: new Set(['incident']), withIds: false, visibility: 'full' }, [opening], signal)
    const first = new AbortController()
    expect(open(first.signal).status).toBe(200)
    for (let at = 1; at < maximumListeners; at++) open()
    expect([listeners.count(), open().status, listeners.count()]).toEqual([maximumListeners, 429, maximumListeners])
    first.abort()
    expect(open(AbortSignal.abort()).status).toBe(200)
    expect(listeners.count()).toBe(maximumListeners - 1)
    expect(open().status).toBe(200)
    listeners.closeAll('the test is over')
  })

  it('gives each listener what it asked for, in order and in its form', async () => {
    const listeners = createListeners()
    const plain = listen(listeners, ['incident'])
    const numbered = listen(listeners, ['incident', 'grid'], true)
    await Promise.all([plain.until('opening\n\n'), numbered.until('opening\n\n')])
    const burst = [event('incident', 1), event('grid', 2), event('incident', 3)]
    listeners.publish(burst)
    const form = (name: 'plain' | 'numbered', events: readonly EncodedEvent[]) =>
      events.map((one) => new TextDecoder().decode(one[name])).join('')
    expect(await plain.until('"number":3}\n\n')).toBe(
      `: opening\n\n${form(
        'plain',
        burst.filter(({ topic }) => topic === 'incident'),
      )}`,
    )
    expect(await numbered.until('"number":3}\n\n')).toBe(`: opening\n\n${form('numbered', burst)}`)
    const countFor = (topic: Topic) => listeners.countFor({ topic, audience: 'full' })
    expect([countFor('incident'), countFor('grid')]).toEqual([2, 1])
    listeners.closeAll('over')
    expect(await plain.rest()).toMatch(/: over\n\n$/)
    expect(await numbered.rest()).toMatch(/: over\n\n$/)
    expect(listeners.count()).toBe(0)
  })

  it('cuts off a listener that is found not to read twice, two seconds apart, when one event too many waits, and no other', async () => {
    let nowMs = 0
    const listeners = createListeners(undefined, () => nowMs)
    const idle = listen(listeners, ['incident'])
    const busy = listen(listeners, ['incident'])
    for (let number = 1; number <= queueCapacity; number++) {
      listeners.publish([event('incident', number)])
      await busy.until(`"number":${number}}\n\n`)
    }
    nowMs = 2_000
    // Found late for the first time: an object that was busy for so long has not seen yet what was read meanwhile.
    listeners.publish([event('incident', queueCapacity + 1)])
    await busy.until(`"number":${queueCapacity + 1}}\n\n`)
    nowMs = 3_999
    listeners.publish([event('incident', queueCapacity + 2)])
    await busy.until(`"number":${queueCapacity + 2}}\n\n`)
    expect([listeners.count(), listeners.cutOff()]).toEqual([2, 0])
    nowMs = 4_000
    listeners.publish([event('incident', queueCapacity + 3)])
    expect([listeners.count(), listeners.cutOff()]).toEqual([1, 1])
    expect(await idle.rest()).toBe(
      `: opening\n\n: closed: ${queueCapacity + 2} events were waiting and were not read\n\n`,
    )
    expect(await busy.until(`"number":${queueCapacity + 3}}\n\n`)).toContain('"number":1}')
    listeners.closeAll('over')
    await busy.rest()
  })

  it('lets a burst wait for a listener that reads, and hands it over in pieces', async () => {
    const listeners = createListeners()
    const slow = listen(listeners, ['incident'])
    for (let number = 1; number <= 12_000; number++) listeners.publish([event('incident', number)])
    const text = await slow.until('"number":12000}\n\n')
    const numbers = [...text.matchAll(/"number":(\d+)/g)].map(([, number]) => Number(number))
    expect(numbers).toEqual(Array.from({ length: 12_000 }, (_, index) => index + 1))
    expect(listeners.cutOff()).toBe(0)
    listeners.closeAll('over')
    await slow.rest()
  })

  it('gives what waited as soon as a late reader reads again, all of it', async () => {
    const listeners = createListeners()
    const late = listen(listeners, ['incident'])
    for (let number = 1; number <= 40; number++) listeners.publish([event('incident', number)])
    const text = await late.until('"number":40}\n\n')
    expect(text.match(/^event: incident$/gm)).toHaveLength(40)
    listeners.closeAll('over')
    await late.rest()
  })

  it('removes a reader that left, at the latest with the next octets for it', async () => {
    const heard: number[] = []
    const listeners = createListeners((count) => heard.push(count))
    const { reader, until } = listen(listeners, ['incident'])
    await until('opening\n\n')
    await reader.cancel()
    listeners.publish([event('incident', 1)])
    await vi.waitFor(() => expect(listeners.count()).toBe(0))
    expect(heard).toEqual([1, 0])
  })

  it('removes a reader whose request was aborted', async () => {
    const listeners = createListeners()
    const request = new AbortController()
    const { body } = listeners.open(
      { topics: new Set(['incident']), withIds: false, visibility: 'full' },
      [opening],
      request.signal,
    )
    request.abort()
    expect(listeners.count()).toBe(0)
    await body?.cancel()
  })
})
