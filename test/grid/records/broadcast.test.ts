/** Events by listener, and how much waits for each. */

import { describe, expect, it } from 'vitest'
import { createRing, pushRing } from '#base/ring.ts'
import {
  backlog,
  createQueue,
  encodeStreamEvent,
  findMissed,
  isAudible,
  offerEvent,
  parseTopics,
  queueCapacity,
  takeWaiting,
} from '#grid/records/broadcast.ts'
import type { Incident, IncidentStatus } from '#grid/types.ts'

const session = '0123abcd-0000-4000-8000-000000000000'

function incident(status: IncidentStatus): Incident {
  return { id: '00000000', timestamp: 0, timestamp_iso: '', protocol: 'DNP3', attack_type: 'X', status }
}

describe('isAudible()', () => {
  it('is true only for attacked and dropped', () => {
    const statuses: IncidentStatus[] = ['clean', 'attacked', 'dropped', 'invalid']
    expect(statuses.map((status) => isAudible(incident(status)))).toEqual([false, true, true, false])
  })
})

describe('parseTopics()', () => {
  it('means incidents when it names nothing known, and never the feed of commands', () => {
    for (const text of [undefined, '', 'nonsense', 'command'])
      expect([...parseTopics(text, 'full')]).toEqual(['incident'])
    expect([...parseTopics(' Alarm ,grid,grid', 'full')]).toEqual(['grid', 'alarm'])
  })

  it('gives the control room only its topics, and alarms when it names none of them', () => {
    expect([...parseTopics('incident,attack,status,diagram', 'control-room')]).toEqual(['diagram'])
    expect([...parseTopics('incident', 'control-room')]).toEqual(['alarm'])
  })
})

describe('offerEvent()', () => {
  const event = encodeStreamEvent({ topic: 'incident', number: 5, data: { a: 1 } }, session)

  it('takes a hundred events for one that does not read and overflows on the next, which changes nothing', () => {
    const queue = createQueue({ topics: new Set(['incident']), withIds: false, visibility: 'full' })
    for (let count = 0; count < queueCapacity; count++) expect(offerEvent(queue, event, false)).toBe(true)
    expect(offerEvent(queue, event, false)).toBe(false)
    expect(queue.waiting).toHaveLength(100)
    expect(offerEvent(queue, event, true)).toBe(true)
  })

  it('lets a burst wait for one that reads, up to a number of events and of octets', () => {
    const queue = createQueue({ topics: new Set(['incident']), withIds: false, visibility: 'full' })
    for (let count = 0; count < backlog.events; count++) offerEvent(queue, event, true)
    expect(offerEvent(queue, event, true)).toBe(false)
    const large = encodeStreamEvent({ topic: 'incident', data: 'x'.repeat(1024 * 1024) }, session)
    const other = createQueue({ topics: new Set(['incident']), withIds: false, visibility: 'full' })
    for (let count = 0; count < 7; count++) expect(offerEvent(other, large, true)).toBe(true)
    expect(offerEvent(other, large, true)).toBe(false)
    expect(other.waitingBytes).toBe(7 * large.plain.length)
  })

  it('writes identifiers for those who asked and shares the octets otherwise', () => {
    const plain = createQueue({ topics: new Set(['incident']), withIds: false, visibility: 'full' })
    const numbered = createQueue({ topics: new Set(['incident']), withIds: true, visibility: 'full' })
    offerEvent(plain, event, true)
    offerEvent(numbered, event, true)
    expect(new TextDecoder().decode(plain.waiting[0])).toBe('event: incident\ndata: {"a":1}\n\n')
    expect(new TextDecoder().decode(numbered.waiting[0])).toContain('\nid: 0123abcd-5\n')
    expect(plain.waiting[0]).toBe(event.plain)
  })

  it('gives the control room what is meant for it, and never an event that says nothing of its audience', () => {
    const queue = createQueue({ topics: new Set(['grid']), withIds: false, visibility: 'control-room' })
    for (const audience of [undefined, 'full', 'all', 'control-room'] as const) {
      const data = audience ?? 'none'
      offerEvent(queue, encodeStreamEvent({ topic: 'grid', data, ...(audience && { audience }) }, session), true)
    }
    const text = queue.waiting.map((octets) => new TextDecoder().decode(octets)).join('')
    expect(text).toBe('event: grid\ndata: "all"\n\nevent: grid\ndata: "control-room"\n\n')
  })

  it('leaves out topics that are not in the subscription', () => {
    const queue = createQueue({ topics: new Set(['grid']), withIds: false, visibility: 'full' })
    expect(offerEvent(queue, event, true)).toBe(true)
    expect(queue.waiting).toEqual([])
  })
})

describe('takeWaiting()', () => {
  it('takes pieces in order up to a number of octets, and one at least', () => {
    const queue = createQueue({ topics: new Set(['incident']), withIds: false, visibility: 'full' })
    const [one, two, three] = [1, 2, 3].map((number) => encodeStreamEvent({ topic: 'incident', data: number }, session))
    for (const event of [one, two, three]) if (event) offerEvent(queue, event, true)
    const length = one?.plain.length ?? 0
    expect(takeWaiting(queue, 2 * length)).toEqual([one?.plain, two?.plain])
    expect(queue.waitingBytes).toBe(length)
    expect(takeWaiting(queue, 1)).toEqual([three?.plain])
    expect(takeWaiting(queue, 1)).toEqual([])
    expect(queue.waitingBytes).toBe(0)
  })
})

describe('findMissed()', () => {
  const ring = createRing<Incident>(300)
  for (let index = 0; index < 400; index++) pushRing(ring, incident(index % 2 === 0 ? 'attacked' : 'clean'))

  it('finds the audible incidents after the last one seen', () => {
    const { events, skipped, known } = findMissed(ring, session, '0123abcd-391')
    expect(events.map(({ number }) => number)).toEqual([393, 395, 397, 399])
    expect([skipped, known]).toEqual([0, true])
  })

  it('gives at most a queue of them and counts the earlier ones', () => {
    const { events, skipped } = findMissed(ring, session, '0123abcd-1')
    expect([events.length, skipped, events[0]?.number]).toEqual([queueCapacity, 50, 201])
  })

  it.each(['ffffffff-1', '17', '', '0123abcd-x'])('finds no session for %j', (id) => {
    expect(findMissed(ring, session, id)).toEqual({ events: [], skipped: 0, known: false })
  })
})
