/** Server-Sent Events, written and read, by the examples of the WHATWG HTML standard section 9.2. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  formatComment,
  formatEvent,
  formatRetry,
  type IncomingEvent,
  readEvents,
  readEventText,
  startReading,
} from '#base/event-stream.ts'
import { encodeUtf8 } from '#base/utf8.ts'

function read(...pieces: string[]): readonly IncomingEvent[] {
  let reader = startReading()
  return pieces.flatMap((piece) => {
    const step = readEventText(reader, piece)
    reader = step.reader
    return step.events
  })
}

describe('readEventText()', () => {
  it('reads the stock ticker of the standard', () => {
    expect(read('data: YHOO\ndata: +2\ndata: 10\n\n')).toEqual([
      { event: 'message', data: 'YHOO\n+2\n10', lastEventId: '' },
    ])
  })

  it('reads the comments and identifiers of the standard; an empty id resets it', () => {
    const text = ': test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n'
    expect(read(text)).toEqual([
      { event: 'message', data: 'first event', lastEventId: '1' },
      { event: 'message', data: 'second event', lastEventId: '' },
      { event: 'message', data: ' third event', lastEventId: '' },
    ])
  })

  it('reports data that is empty, and no event without a data field or a blank line', () => {
    expect(read('data\n\ndata\ndata\n\ndata:')).toEqual([
      { event: 'message', data: '', lastEventId: '' },
      { event: 'message', data: '\n', lastEventId: '' },
    ])
    expect(read('event: x\n\n')).toEqual([])
  })

  it.each(['\n', '\r', '\r\n'])('ends lines with %j', (end) => {
    expect(read(`event: a${end}data: b${end}${end}x`)).toEqual([{ event: 'a', data: 'b', lastEventId: '' }])
  })

  it('reads the same however the text is cut, a byte order mark in front', () => {
    const text = '\uFEFFevent: incident\r\ndata: {"a":1}\r\nid: 7\r\n\r\n: note\r\n\r\nretry: 10\r\ndata: b\r\n\r\n'
    const whole = read(text)
    expect(whole).toHaveLength(2)
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: text.length }), { maxLength: 12 }), (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), text.length]
        const pieces = places.slice(1).map((to, index) => text.slice(places[index], to))
        expect(read(...pieces)).toEqual(whole)
      }),
      { seed: 2 },
    )
  })

  it('remembers a reconnection time that has only digits', () => {
    expect(readEventText(startReading(), `${formatRetry(3000)}retry: 5s\n\n`).reader.retry).toBe(3000)
  })
})

describe('formatEvent()', () => {
  it('is read back as it was written, line ends in the data included', () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ unit: fc.constantFrom('a', '\n', ' ', ':') }), (first, data) => {
        const clean = first.replace(/[\r\n\0]/g, '')
        const [event] = read(formatEvent({ event: 'incident', data: clean + data, id: clean }))
        expect(event).toEqual({ event: 'incident', data: clean + data, lastEventId: clean })
      }),
      { seed: 3 },
    )
  })
})

describe('formatComment()', () => {
  it('is never an event, with any content', () => {
    expect(read(formatComment('x\n\ndata: y'))).toEqual([])
  })
})

describe('readEvents()', () => {
  it('reads a body in UTF-8 cut between the octets of a character, and closes it when the loop is left', async () => {
    const bytes = encodeUtf8('data: grün\n\ndata: two\n\n')
    let isCancelled = false
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
      },
      cancel() {
        isCancelled = true
      },
    })
    for await (const { data } of readEvents(body)) {
      expect(data).toBe('grün')
      break
    }
    expect(isCancelled).toBe(true)
  })

  it('has nothing to read without a body', async () => {
    for await (const event of readEvents(null)) expect(event).toBeUndefined()
  })
})
