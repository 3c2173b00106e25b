/** Captures of some frames: which ones each parameter keeps, that they add up, and what is said where none is left. */

import { describe, expect, it } from 'vitest'
import { parseCapture, selectFrames } from '#grid/interface/capture-requests.ts'
import { planTelecontrol } from '#grid/telecontrol/plan-telecontrol.ts'
import { contextOf } from '../../support/grid-context.ts'
import { enable, runSteps, startTime, startWorld } from '../../support/grid-session.ts'

const plan = planTelecontrol(contextOf().network)
const { frames } = (() => {
  const world = startWorld()
  enable(world, 'MODBUS_CMD_INJECT', { count: 3 })
  return runSteps(world, 60)
})()
const select = (selection: Parameters<typeof selectFrames>[1]) => selectFrames(frames, selection, plan)

describe('parseCapture()', () => {
  it('reads numbers and words, and leaves out what is absent', () => {
    const query = new Map([
      ['since', '1764000004.5'],
      ['proto', 'modbus'],
    ])
    expect(parseCapture((name) => query.get(name))).toEqual({ since: 1_764_000_004.5, proto: 'modbus' })
  })

  it.each(['now', '-5', '1e9', '0x10', '1764000004,5'])('refuses the time %s', (text) => {
    expect(() => parseCapture((name) => (name === 'until' ? text : undefined))).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    )
  })
})

describe('selectFrames()', () => {
  it('keeps the frames from one time on and before another, so that neighbouring parts make the whole', () => {
    expect(select({})).toEqual(frames)
    const middle = startTime + 3
    const [early, late] = [select({ until: middle }), select({ since: middle })]
    expect([...early, ...late]).toEqual(frames)
    expect(early.every(({ timeUs }) => timeUs < middle * 1e6)).toBe(true)
    expect(select({ since: startTime + 1, until: startTime + 2 }).length).toBeLessThan(early.length)
  })

  it('keeps a protocol with the segments that serve its connections', () => {
    const kept = select({ proto: 'MODBUS' })
    expect(new Set(kept.map(({ protocol }) => protocol))).toEqual(new Set(['Modbus', 'TCP']))
    expect(kept.every(({ src, dst }) => `${src} ${dst}`.includes(':502'))).toBe(true)
    const served = frames.filter(({ protocol, flow }) => protocol === 'TCP' && flow.includes(':502'))
    expect(kept.filter(({ protocol }) => protocol === 'TCP')).toEqual(served)
    expect(select({ proto: 'tcp' })).toEqual(frames.filter(({ protocol }) => protocol === 'TCP'))
  })

  it('keeps what a node sends and gets by its name or an address, with the requests for its address', () => {
    const kept = select({ station: 'rtu-3' })
    expect(kept).toEqual(
      select({ station: '10.20.1.3' })
        .concat(select({ station: '02:00:5e:01:00:03' }))
        .sort(byNumber),
    )
    expect(new Set(kept.map(({ protocol }) => protocol))).toEqual(new Set(['ARP', 'Modbus', 'TCP']))
    expect(kept.some(({ src, dst }) => `${src} ${dst}`.includes('10.20.1.30'))).toBe(false)
    expect(kept.filter(({ dst }) => dst === 'ff:ff:ff:ff:ff:ff').length).toBeGreaterThan(0)
    expect(new Set(select({ station: 'IED-1' }).map(({ protocol }) => protocol))).toContain('GOOSE')
  })

  it('keeps what a station of an outside simulator sends, whose name has capital letters', () => {
    const outside = frames.slice(0, 2).map((frame) => ({ ...frame, src: 'Feeder-7:2404', dst: 'SCADA' }))
    for (const station of ['Feeder-7', 'scada']) expect(selectFrames(outside, { station }, plan)).toEqual(outside)
  })

  it('keeps the frames of an attack by type or id, and the others by NONE', () => {
    const ofAttack = select({ label: 'modbus_cmd_inject' })
    expect(ofAttack.length).toBeGreaterThan(5)
    expect(select({ label: 'MODBUS_CMD_INJECT-1' })).toEqual(ofAttack)
    expect([...ofAttack, ...select({ label: 'NONE' })].sort(byNumber)).toEqual(frames)
  })

  it('keeps what has all that is asked for', () => {
    const kept = select({ proto: 'Modbus', label: 'MODBUS_CMD_INJECT', station: '10.20.0.66' })
    expect(kept.length).toBeGreaterThan(0)
    expect(kept).toEqual(select({ label: 'MODBUS_CMD_INJECT' }).filter(({ protocol }) => protocol !== 'ARP'))
  })

  it.each([
    [{ proto: 'modbsu' }, 'proto modbsu', '"Modbus"'],
    [{ station: 'RTU3' }, 'station RTU3', '"RTU-3"'],
    [{ label: 'SCALES' }, 'label SCALES', '"SCALE"'],
    [{ since: 9_000_000_000, proto: 'DNP3' }, 'since 9000000000, proto DNP3', 'newest frames'],
  ])('says what was asked for and what is near where no frame is left: %j', (selection, asked, hint) => {
    expect(() => select(selection)).toThrow(
      expect.objectContaining({
        code: 'capture_unavailable',
        message: `Cannot export the capture: no retained frame has ${asked}`,
        hint: expect.stringContaining(hint),
      }),
    )
  })
})

function byNumber(one: { readonly frameNo: number }, other: { readonly frameNo: number }): number {
  return one.frameNo - other.frameNo
}
