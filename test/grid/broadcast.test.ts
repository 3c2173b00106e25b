/** Who hears what, and how much waits for whom. */

import { describe, expect, it } from 'vitest'
import { createRing, pushRing } from '../../src/base/ring.ts'
import {
  createQueue,
  encodeStreamEvent,
  findMissed,
  isAudible,
  offerEvent,
  parseTopics,
  queueCapacity,
} from '../../src/grid/broadcast.ts'
import type { Incident, IncidentStatus } from '../../src/grid/types.ts'

const session = '0123abcd-0000-4000-8000-000000000000'

function incident(status: IncidentStatus): Incident {
  return { id: '00000000', timestamp: 0, timestamp_iso: '', protocol: 'DNP3', attack_type: 'X', status }
}

describe('isAudible()', () => {
  it('is true for attacked and dropped alone', () => {
    const statuses: IncidentStatus[] = ['clean', 'attacked', 'dropped', 'invalid']
    expect(statuses.map((status) => isAudible(incident(status)))).toEqual([false, true, true, false])
  })
})

describe('parseTopics()', () => {
  it('means incidents when it names nothing known, and never the feed of commands', () => {
    for (const text of [undefined, '', 'nonsense', 'command'])
      expect([...parseTopics(text)]).toEqual(['incident'])
    expect([...parseTopics(' Alarm ,grid,grid')]).toEqual(['grid', 'alarm'])
  })
})

describe('offerEvent()', () => {
  const event = encodeStreamEvent({ topic: 'incident', number: 5, data: { a: 1 } }, session)

  it('takes a hundred events and overflows on the next one, which changes nothing', () => {
    const queue = createQueue({ topics: new Set(['incident']), withIds: false })
    for (let count = 0; count < queueCapacity; count++) expect(offerEvent(queue, event)).toBe('queued')
    expect(offerEvent(queue, event)).toBe('overflow')
    expect(queue.waiting).toHaveLength(100)
  })

  it('writes identifiers for those who asked and shares the octets otherwise', () => {
    const plain = createQueue({ topics: new Set(['incident']), withIds: false })
    const numbered = createQueue({ topics: new Set(['incident']), withIds: true })
    offerEvent(plain, event)
    offerEvent(numbered, event)
    expect(new TextDecoder().decode(plain.waiting[0])).toBe('event: incident\ndata: {"a":1}\n\n')
    expect(new TextDecoder().decode(numbered.waiting[0])).toContain('\nid: 0123abcd-5\n')
    expect(plain.waiting[0]).toBe(event.plain)
  })

  it('leaves out topics that nobody asked for', () => {
    const queue = createQueue({ topics: new Set(['grid']), withIds: false })
    expect(offerEvent(queue, event)).toBe('not_subscribed')
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

  it('gives at most a queue of them and says how many came before', () => {
    const { events, skipped } = findMissed(ring, session, '0123abcd-1')
    expect([events.length, skipped, events[0]?.number]).toEqual([queueCapacity, 50, 201])
  })

  it.each(['ffffffff-1', '17', '', '0123abcd-x'])('knows nothing about %j', (id) => {
    expect(findMissed(ring, session, id)).toEqual({ events: [], skipped: 0, known: false })
  })
})
