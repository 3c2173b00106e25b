/** What the records say about a message that an attack touched, and where its evidence lies. */

import { describe, expect, it } from 'vitest'
import { record, recordAgain, traceOf } from '#grid/step/attack-trace.ts'
import type { Interception } from '#grid/step/interception.ts'
import { numberFrame } from '#grid/step/message-frame.ts'
import type { StepContext } from '#grid/step/step-context.ts'
import type { Message } from '#grid/telecontrol/message.ts'
import { contextOf, datagram } from '../../support/grid-context.ts'
import { enable, startWorld } from '../../support/grid-session.ts'
import { must } from '../../support/must.ts'

const sent = Uint8Array.of(1, 2, 3)
const arrived = Uint8Array.of(4, 5)

/** A step with DROP enabled, and a message that passed it. */
function attacked(change: Partial<Interception> = {}, forged: Message['forged'] = null) {
  const world = startWorld()
  enable(world, 'DROP')
  const context = contextOf(world)
  const message = datagram(context, 10, sent, { forged })
  const interception: Interception = {
    payload: arrived,
    outcome: 'attacked',
    delayUs: 0,
    attack: must(world.attacks[0]),
    description: 'Changed',
    ...change,
  }
  return { context, message, interception, trace: traceOf(context, message, interception) }
}

/** Writes the message's frames on both sides of the attacker. */
function recorded(change: Partial<Interception> = {}, forged: Message['forged'] = null) {
  const { context, message, interception, trace } = attacked(change, forged)
  const passage = { message, interception, trace, numbers: numberFrame(context, message) }
  const { timeUs } = message
  const before = record(context, passage, { tap: 'before', timeUs, isMessage: false })
  const after = record(context, passage, { tap: 'after', timeUs: timeUs + 9, isMessage: true })
  return { context, passage, trace, before, after }
}

/** Where octets begin in the frame that they are a view of; undefined where they are not one. */
function offsetIn(frame: Uint8Array, octets: Uint8Array | null | undefined): number | undefined {
  return octets?.buffer === frame.buffer ? octets.byteOffset - frame.byteOffset : undefined
}

/** The octets of headers in front of a datagram's payload. */
const headers = 42

describe('traceOf()', () => {
  it('says nothing of a clean message', () => {
    expect(attacked({ outcome: 'clean', attack: null }).trace).toBeNull()
  })

  it('labels a changed message with its attack, and shows both forms', () => {
    const trace = must(attacked().trace ?? undefined)
    expect(trace.label).toEqual({
      attack_id: 'DROP-1',
      attack_type: 'DROP',
      technique: expect.objectContaining({ id: 'T1691.002' }),
      evidence: { reading: { protocol: 'DNP3', isRequest: false }, original: sent, modified: arrived },
    })
    expect(trace.shown).toBe(trace.evidence)
    expect(trace.label?.evidence).toBe(trace.evidence)
  })

  it.each([
    ['a dropped message without its modified form', 'dropped', null, { original: sent, modified: null }],
    ['a forged message without its original', 'attacked', 'F', { original: null, modified: arrived }],
    ['a forged message that was dropped without either', 'dropped', 'F', { original: null, modified: null }],
  ] as const)('shows %s, and keeps both for the label', (_, outcome, description, shown) => {
    const forged = description === null ? null : { attackId: 'DROP-1', description }
    const trace = must(attacked({ outcome }, forged).trace ?? undefined)
    expect(trace.shown).toMatchObject(shown)
    expect(trace.evidence).toMatchObject({ original: sent, modified: arrived })
  })

  it('has no label where the attack is not known', () => {
    const { trace } = attacked({ attack: null, outcome: 'invalid' })
    expect(trace).toMatchObject({ label: null, shown: { original: sent, modified: arrived } })
  })
})

describe('record()', () => {
  it('writes the message as sent before the attacker, and as changed behind', () => {
    const { context, before, after } = recorded({ delayUs: 2_500 })
    expect([before.bytes.subarray(headers, headers + 3), after.bytes.subarray(headers, headers + 2)]).toEqual(
      [sent, arrived],
    )
    expect(context.drafts).toEqual([before, after])
    const { timeUs } = before
    expect(before).toMatchObject({ tap: 'before', payloadLength: 3, latencyMs: 2.5, isMessage: false })
    expect(after).toMatchObject({ tap: 'after', payloadLength: 2, timeUs: timeUs + 9, status: 'attacked' })
  })

  it('points the evidence of both forms at the octets of the frames', () => {
    const { trace, before, after } = recorded()
    expect(offsetIn(before.bytes, trace?.evidence.original)).toBe(headers)
    expect(offsetIn(after.bytes, trace?.evidence.modified)).toBe(headers)
    const forged = recorded({}, { attackId: 'DROP-1', description: 'F' })
    expect(forged.trace?.shown.original).toBeNull()
    expect(offsetIn(forged.after.bytes, forged.trace?.shown.modified)).toBe(headers)
  })

  it('gives an incident to the frame of the message only', () => {
    const { before, after, trace } = recorded()
    expect(before.incident).toBeUndefined()
    expect(after.incident).toEqual({
      protocol: 'DNP3',
      status: 'attacked',
      attackType: 'DROP',
      attackId: 'DROP-1',
      technique: trace?.label?.technique,
      description: 'Changed',
      srcNode: 'A',
      dstNode: 'B',
      evidence: trace?.shown,
    })
  })

  it('counts a held message as attacked, and keeps the words of the other outcomes', () => {
    const statuses = (['held', 'dropped', 'invalid', 'attacked'] as const).map(
      (outcome) => recorded({ outcome }).after.status,
    )
    expect(statuses).toEqual(['attacked', 'dropped', 'invalid', 'attacked'])
  })

  it('names no attack where it is not known, nor a description where there is none', () => {
    const { after } = recorded({ attack: null, description: undefined })
    expect(Object.keys(after.incident ?? {}).sort()).toEqual(
      ['attackType', 'dstNode', 'evidence', 'protocol', 'srcNode', 'status'].sort(),
    )
    expect([after.incident?.attackType, after.label]).toEqual(['NONE', null])
  })

  it('of a clean message has a plain incident, and the shift that later numbers have', () => {
    const context: StepContext = contextOf()
    const message = datagram(context, 0, sent)
    const shift = { sequence: 3, acknowledgment: 0 }
    const interception: Interception = {
      payload: sent,
      outcome: 'clean',
      delayUs: 0,
      attack: null,
      description: undefined,
    }
    const numbers = { ...numberFrame(context, message), shift }
    const passage = { message, interception, trace: null, numbers }
    const draft = record(context, passage, { tap: 'after', timeUs: message.timeUs, isMessage: true })
    expect(draft).toMatchObject({ status: 'clean', label: null, shift })
    expect(draft.incident).toEqual({
      protocol: 'DNP3',
      status: 'clean',
      attackType: 'NONE',
      srcNode: 'A',
      dstNode: 'B',
    })
    const attackedPassage = { ...recorded().passage, numbers }
    const touched = record(context, attackedPassage, { tap: 'after', timeUs: 0, isMessage: true })
    expect('shift' in touched).toBe(false)
  })
})

describe('recordAgain()', () => {
  it('writes the same octets as a segment that only serves TCP', () => {
    const { context, passage, after } = recorded()
    recordAgain(context, passage, { tap: 'after', timeUs: 77 })
    expect(context.drafts).toHaveLength(3)
    expect(context.drafts[2]).toMatchObject({
      protocol: 'TCP',
      payloadLength: 0,
      isMessage: false,
      incident: undefined,
      timeUs: 77,
      status: 'attacked',
    })
    expect(context.drafts[2]?.bytes).toEqual(after.bytes)
  })
})
