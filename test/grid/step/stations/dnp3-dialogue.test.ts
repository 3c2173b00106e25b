/** DNP3 messages of both ends: octets as IEEE 1815 lays them out, and counters that go on. */

import { describe, expect, it } from 'vitest'
import { decodeDnp3 } from '#grid/protocols/dnp3.ts'
import { respondTo } from '#grid/protocols/dnp3-association.ts'
import type { Dnp3Function } from '#grid/protocols/dnp3-fragment.ts'
import { classifyFragment, requestDnp3, sendFragment } from '#grid/step/stations/dnp3-dialogue.ts'
import { queued, stationScene } from '#test/support/grid-stations.ts'
import { mustDecode } from '#test/support/must.ts'

const classes = [2, 3, 4, 1].map((variation) => ({ kind: 'all', group: 60, variation }) as const)

describe('requestDnp3()', () => {
  it('writes an integrity poll to link address 11, and counts in both layers for the next', () => {
    const scene = stationScene('DNP3', 'RTU-2')
    const { context } = scene
    for (const afterUs of [500, 700]) {
      requestDnp3(scene, { functionCode: 'read', objects: classes }, { timeUs: context.startUs + afterUs })
    }
    // Octets by the standard, with its two checksums computed apart from this program.
    expect(queued(context)).toEqual([
      {
        afterUs: 500,
        srcNode: 'CC',
        hex: '056414c40b000100672f' + 'c0c0013c02063c03063c04063c01068a51',
        purpose: 'link',
      },
      {
        afterUs: 700,
        srcNode: 'CC',
        hex: '056414c40b000100672f' + 'c1c1013c02063c03063c04063c01066201',
        purpose: 'link',
      },
    ])
    expect(context.queue[0]).toMatchObject({
      protocol: 'DNP3',
      link: 'CC--RTU-2',
      dstNode: 'RTU-2',
      carrier: { kind: 'tcp', connection: 'CC--RTU-2#cc', side: 'client' },
      forged: null,
    })
  })

  it('counts transport segments modulo 64 and requests modulo 16', () => {
    const scene = stationScene('DNP3', 'RTU-2')
    const { context } = scene
    for (let count = 0; count < 70; count++) {
      requestDnp3(scene, { functionCode: 'read', objects: [] }, { timeUs: context.startUs + count })
    }
    const counters = context.queue.map(({ payload }) => {
      const { transportSequence, fragment } = mustDecode(decodeDnp3(payload))
      return [transportSequence, fragment.control.sequence]
    })
    expect(counters).toEqual(Array.from({ length: 70 }, (_, count) => [count % 64, count % 16]))
  })

  it('carries the attack that forged it', () => {
    const scene = stationScene('DNP3', 'RTU-2')
    const { context } = scene
    const forged = { attackId: 'ORDER-1', description: 'Forged' }
    requestDnp3(scene, { functionCode: 'direct_operate', objects: [] }, { timeUs: context.startUs, forged })
    expect(context.queue).toMatchObject([{ forged, purpose: 'command' }])
  })
})

describe('sendFragment()', () => {
  const request = {
    control: { isFirst: true, isFinal: true, confirm: false, unsolicited: false, sequence: 0 },
    functionCode: 'enable_unsolicited',
    objects: [],
  } as const

  it('writes a null response from the outstation, which has a transport counter apart from the master', () => {
    const scene = stationScene('DNP3', 'RTU-2')
    const { context, connection } = scene
    requestDnp3(scene, { functionCode: 'read', objects: classes }, { timeUs: context.startUs })
    context.queue.length = 0
    sendFragment(scene, 'server', respondTo(request, 0), { timeUs: context.startUs + 90 })
    expect(queued(context)).toEqual([
      { afterUs: 90, srcNode: 'RTU-2', hex: '05640a4401000b00208e' + 'c0c08100009ce8', purpose: 'reporting' },
    ])
    expect(context.queue[0]).toMatchObject({ dstNode: 'CC', carrier: { side: 'server' } })
    expect(connection.dialogue).toMatchObject({ master: { transport: 1 }, outstation: { transport: 1 } })
  })
})

describe('classifyFragment()', () => {
  it.each<[Dnp3Function, string]>([
    ['confirm', 'link'],
    ['read', 'link'],
    ['write', 'link'],
    ['select', 'command'],
    ['operate', 'command'],
    ['direct_operate', 'command'],
    ['direct_operate_no_ack', 'command'],
    ['cold_restart', 'link'],
    ['enable_unsolicited', 'link'],
    ['response', 'reporting'],
    ['unsolicited_response', 'reporting'],
  ])('of %s is %s', (functionCode, purpose) => {
    expect(classifyFragment({ control, objects: [], functionCode })).toBe(purpose)
  })
})

const control = { isFirst: true, isFinal: true, confirm: false, unsolicited: false, sequence: 0 }
