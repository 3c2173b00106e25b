/** Records as text: what comes back shows the same and stays as compact. */

import { describe, expect, it } from 'vitest'
import { findChanges, showIncident } from '#grid/records/evidence.ts'
import type { NewRecords } from '#grid/records/records.ts'
import { decodeRecords, encodeRecords } from '#grid/records/records-text.ts'
import { calmStretch, enable, runSteps } from '../../support/grid-session.ts'

/** Records as people and exports see them. */
const shown = ({ incidents, packets, frames }: NewRecords) =>
  JSON.parse(
    JSON.stringify({
      incidents: incidents.map(showIncident),
      packets,
      frames: frames.map(({ bytes, label, ...frame }) => ({
        ...frame,
        bytes: [...bytes],
        label: label === null ? null : { ...label, evidence: undefined, changes: findChanges(label) },
      })),
    }),
  )

/** Attacks in their default form that together leave every kind of evidence. */
const types = ['NOISE', 'DELAY', 'MODBUS_CMD_INJECT', 'FDI_STEALTH', 'IEC104_BREAKER_CMD']

function attackedRecords(): NewRecords {
  const { world } = calmStretch(21)
  for (const type of types) enable(world, type)
  enable(world, 'DROP', { drop_percent: 30 })
  enable(world, 'MALFORMED', { rate_percent: 50 })
  const { outputs } = runSteps(world, 40)
  return {
    incidents: outputs.flatMap(({ incidents }) => incidents),
    packets: outputs.flatMap(({ packets }) => packets),
    frames: outputs.flatMap(({ frames }) => frames),
  }
}

const decodedPhasor = '"magnitude":'
/** Frames that a buffer of 64 KiB holds at the least: their mean is below 300 octets. */
const framesPerBuffer = 200

describe('decodeRecords()', () => {
  const records = attackedRecords()
  const text = encodeRecords(records)
  const back = decodeRecords(text)

  it('gives back what encodeRecords() wrote, every decoded message and change included', () => {
    expect(records.incidents.filter(({ status }) => status !== 'clean').length).toBeGreaterThan(50)
    expect(shown(back)).toEqual(shown(records))
    expect(decodeRecords(encodeRecords(back))).toEqual(back)
  })

  it('keeps messages as octets, in the text and after it', () => {
    // A member of each decoded phasor frame, of which the records hold many.
    expect(JSON.stringify(shown(records))).toContain(decodedPhasor)
    expect(text).not.toContain(decodedPhasor)
    const attacked = back.incidents.filter(({ status }) => status !== 'clean')
    expect(attacked.filter(({ evidence }) => evidence === undefined)).toEqual([])
  })

  it('puts the octets of many frames into few buffers', () => {
    const buffers = new Set(back.frames.map(({ bytes }) => bytes.buffer))
    expect(back.frames.length).toBeGreaterThan(framesPerBuffer)
    expect(buffers.size).toBeLessThan(back.frames.length / framesPerBuffer + 2)
  })

  it('reads records whose messages were written decoded', () => {
    const decoded = shown(records)
    const old = JSON.stringify({
      ...decoded,
      frames: records.frames.map(({ frameNo }) => ({ ...decoded.frames[0], frameNo, bytes: '00ff' })),
    })
    const read = decodeRecords(old)
    expect(read.incidents).toEqual(decoded.incidents)
    expect(read.frames[0]?.bytes).toEqual(Uint8Array.of(0, 255))
  })
})
