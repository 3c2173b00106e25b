import { describe, expect, it } from 'vitest'
import { readTelemetry, telemetryName } from '#edge/telemetry.ts'

const status = {
  run: 'running',
  session_id: 's1',
  grid: { frequency_hz: 49.98, load_mw: 259, losses_mw: 13.39, alarms: 2 },
}
const read = (change: object) => readTelemetry(JSON.stringify({ ...status, ...change }))

describe('readTelemetry()', () => {
  it('takes the readings of a running simulation, alarms counted from one', () => {
    expect(read({})).toEqual({
      sessionId: 's1',
      readings: { frequency: 49.98, load: 259, losses: 13.39, alarms: 3 },
      score: null,
    })
  })

  it.each([
    [1.25, 1.25],
    [null, null],
    [0, null],
    ['2', null],
  ])('takes the score %j of the detector as %j: a stream keeps no zero', (detector_score, score) => {
    expect(read({ detector_score })?.score).toBe(score)
  })

  it.each([
    ['one that is stopped', { run: 'stopped' }],
    ['one that is paused', { run: 'paused' }],
    ['a simulator outside', { grid: undefined }],
    ['readings that are missing', { grid: { frequency_hz: 50 } }],
  ])('takes nothing of %s', (_, change) => {
    expect(read(change)).toBeNull()
  })
})

describe('telemetryName()', () => {
  it('is the same for every session of a simulation', () => {
    expect(telemetryName('drill', 'health')).toBe('sluice grid drill health')
  })
})
