/** Messages of the field's front: what is an event or an answer, and what is refused. */

import { describe, expect, it } from 'vitest'
import { type FieldEvent, mostEvents, readEvents, readReply } from '#grid/field/messages.ts'

describe('readEvents()', () => {
  it('reads events of sockets in their order', () => {
    const events: readonly FieldEvent[] = [
      ['open', 1, 'RTU-14'],
      ['octets', 1, '00ff'],
      ['close', 1],
    ]
    expect(readEvents(JSON.stringify(events))).toEqual(events)
  })

  it.each([
    '{',
    '{}',
    '[["open",1,"rtu"]]',
    '[["octets",1,"0"]]',
    '[["octets",1,""]]',
    '[["octets",1.5,"00"]]',
    '[["close",1,"00"]]',
    '[["reset",1]]',
    JSON.stringify([['octets', 1, '00'.repeat(1025)]]),
    JSON.stringify(Array.from({ length: mostEvents + 1 }, () => ['close', 1])),
  ])('refuses %s', (text) => {
    expect(readEvents(text)).toBeUndefined()
  })
})

describe('readReply()', () => {
  it.each([{ stations: [] }, { taken: 2, orders: [['close', 1, 'pause']] }])('reads %j', (reply) => {
    expect(readReply(JSON.stringify(reply))).toEqual(reply)
  })

  it.each(['{', '[]', '{}', '{"stations":1,"taken":0,"orders":[]}', '{"taken":"1","orders":[]}', '{"taken":1}'])(
    'refuses %s',
    (text) => {
      expect(readReply(text)).toBeUndefined()
    },
  )
})
