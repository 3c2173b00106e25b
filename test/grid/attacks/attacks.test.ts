/** Every attack: what it changes in the frames and nothing more, what that does to the grid, and who notices. */

import { describe, expect, it } from 'vitest'
import { attacks, findAttack } from '#grid/attacks/catalogue.ts'
import { findTelecontrol } from '#grid/engine.ts'
import { applyCommand } from '#grid/step/apply-command.ts'
import type { Incident, PacketRecord } from '#grid/types.ts'
import { calmStretch, changesIn, enable, runSteps, startWorld } from '../../support/grid-session.ts'

/** Fields that an attack changed in any message, with list positions left out. */
function changedFields(frames: readonly PacketRecord[]) {
  const fields = frames.flatMap((frame) => changesIn(frame).map(({ field }) => field))
  return [...new Set(fields.map((field) => field.replaceAll(/\.\d+/g, '')))].sort()
}

/** The session 10 seconds in, then 8 seconds under one attack. */
function attack(type: string, params: Record<string, unknown> = {}, steps = 80) {
  const { world } = calmStretch(100)
  enable(world, type, params)
  const stretch = runSteps(world, steps)
  const touched = stretch.incidents.filter(({ status }) => status !== 'clean')
  const detectors = new Set(world.view.alarms.map(({ detector }) => detector))
  const { breakerNames } = findTelecontrol(world)
  return { ...stretch, touched, detectors, opened: world.plant.open.map((branch) => breakerNames.get(branch)) }
}

/** Magnitude of the first phasor before and after an attack. */
function magnitudes({ original_val, modified_val }: Incident) {
  const read = (frame: unknown) =>
    (frame as { pmus: { phasors: { magnitude: number }[] }[] }).pmus[0]?.phasors[0]?.magnitude ?? Number.NaN
  return { before: read(original_val), after: read(modified_val) }
}

describe('the ten attacks of the interface', () => {
  it('NOISE changes only magnitudes, with the given deviation; residuals show it', () => {
    const { touched, frames, detectors } = attack('NOISE', { noise_std: 3 })
    expect(changedFields(frames)).toEqual(['pmus.phasors.magnitude'])
    const errors = touched.map(magnitudes).map(({ before, after }) => after - before)
    const deviation = Math.sqrt(errors.reduce((sum, error) => sum + error * error, 0) / errors.length)
    expect(deviation).toBeGreaterThan(2.4)
    expect(deviation).toBeLessThan(3.6)
    expect(detectors).toContain('chi_square')
  })

  it('NOISE touches the frequency where asked', () => {
    expect(changedFields(attack('NOISE', { add_freq_noise: true }).frames)).toEqual([
      'pmus.frequencyHz',
      'pmus.phasors.magnitude',
    ])
  })

  it('RAMP grows by its rate with each frame of a stream', () => {
    const { touched } = attack('RAMP', { ramp_rate: 0.5 })
    const stream = touched.filter(({ src_node }) => src_node === 'PMU-1').map(magnitudes)
    for (const [index, { before, after }] of stream.entries()) {
      expect(after - before).toBeCloseTo((index + 1) * 0.5, 3)
    }
  })

  it('PULSE adds its amplitude in the first frames of each interval', () => {
    const { touched, detectors } = attack('PULSE', { interval: 10, duration_frames: 2, amplitude: 12 })
    const stream = touched.filter(({ src_node }) => src_node === 'PMU-2')
    expect(stream).toHaveLength(8)
    for (const incident of stream) {
      const { before, after } = magnitudes(incident)
      expect(after - before).toBeCloseTo(12, 3)
    }
    expect(detectors).toContain('step')
  })

  it('FREQUENCY_OVERRIDE fixes FREQ and stills DFREQ; secondary control follows it', () => {
    const { frames, world } = attack('FREQUENCY_OVERRIDE', { target_freq: 59.5 }, 150)
    expect(changedFields(frames)).toEqual(['pmus.frequencyHz', 'pmus.rocofHzPerS'])
    expect(world.plant.frequency.islands[0]?.frequencyHz).toBeGreaterThan(60.02)
  })

  it('MAGNITUDE_OVERRIDE replaces one phasor; one scan points at it', () => {
    const { touched, frames, world } = attack('MAGNITUDE_OVERRIDE', { phasor_idx: 0, value: 90 })
    expect(changedFields(frames)).toEqual(['pmus.phasors.magnitude'])
    expect(touched.every((incident) => magnitudes(incident).after === 90)).toBe(true)
    expect(
      world.view.alarms.some(({ detector, where }) => detector === 'largest_residual' && where.startsWith('PMU_V_')),
    ).toBe(true)
  })

  it('ANGLE_OVERRIDE replaces one angle; the estimate disagrees', () => {
    const { frames, detectors } = attack('ANGLE_OVERRIDE', { angle_deg: 40 })
    expect(changedFields(frames)).toEqual(['pmus.phasors.angle'])
    expect(detectors).toContain('angle')
  })

  it('REPLAY loops what it recorded, old time stamps included', () => {
    const { touched, detectors } = attack('REPLAY', { buffer_size: 5 }, 100)
    const stream = touched.filter(({ src_node }) => src_node === 'PMU-1')
    const raw = stream.map(({ modified_val }) => modified_val?.raw_hex)
    expect(new Set(raw).size).toBe(5)
    expect(raw.slice(5, 10)).toEqual(raw.slice(0, 5))
    expect(detectors).toContain('sequence')
  })

  it('REPLAY with refreshed time stamps repeats only the content', () => {
    const { touched } = attack('REPLAY', { buffer_size: 5, refresh_timestamps: true }, 100)
    const frame = touched[0]
    const time = (value: unknown) => JSON.stringify((value as { time: unknown }).time)
    expect(time(frame?.modified_val)).toBe(time(frame?.original_val))
  })

  it('DELAY changes nothing but the arrival', () => {
    const { touched, frames, detectors } = attack('DELAY', { delay_ms: 250 })
    expect(changedFields(frames)).toEqual([])
    expect(touched.length).toBeGreaterThan(100)
    const late = frames.filter(({ tap, label }) => tap === 'after' && label !== null)
    expect(late.every(({ latencyMs }) => latencyMs >= 249)).toBe(true)
    expect(detectors).toContain('late')
  })

  it('DROP lets its share vanish: seen before the attacker, never after', () => {
    const { touched, frames, detectors } = attack('DROP', { drop_percent: 40 }, 300)
    expect(touched.every(({ status, modified_val }) => status === 'dropped' && modified_val === undefined)).toBe(true)
    const share = touched.length / (4 * 5 * 30)
    expect(share).toBeGreaterThan(0.33)
    expect(share).toBeLessThan(0.47)
    expect(frames.filter(({ status }) => status === 'dropped').every(({ tap }) => tap === 'before')).toBe(true)
    expect(detectors).toContain('missing')
  })

  it('SCALE multiplies every magnitude', () => {
    const { touched, detectors } = attack('SCALE', { scale_factor: 1.1 })
    for (const incident of touched) {
      const { before, after } = magnitudes(incident)
      expect(after / before).toBeCloseTo(1.1, 5)
    }
    expect(detectors).toContain('chi_square')
  })
})

describe('FDI_STEALTH', () => {
  it('moves the estimate of its bus by its shift and leaves J as it was', () => {
    const clean = startWorld()
    runSteps(clean, 241)
    const { world: dirty } = calmStretch(200)
    enable(dirty, 'FDI_STEALTH')
    runSteps(dirty, 41)
    const bus14 = 13
    const [honest, fooled] = [clean.view.estimate, dirty.view.estimate]
    const shift = (((fooled?.vaRad[bus14] ?? 0) - (honest?.vaRad[bus14] ?? 0)) * 180) / Math.PI
    expect(shift).toBeCloseTo(-5, 0)
    expect(Math.abs((fooled?.objective ?? 0) - (honest?.objective ?? 0))).toBeLessThan(0.1)
  })

  it('changes eleven meters at bus 14, in all three telecontrol protocols', () => {
    const { frames, touched } = attack('FDI_STEALTH', {}, 20)
    expect(new Set(touched.map(({ protocol }) => protocol))).toEqual(new Set(['DNP3', 'IEC104', 'Modbus']))
    expect(frames.filter(({ label }) => label !== null).length).toBeGreaterThan(3)
  })

  it('gives itself away when it misses meters', () => {
    expect(attack('FDI_STEALTH', { coverage: 0.4 }).detectors).toContain('chi_square')
  })
})

describe('commands that the control centre did not send', () => {
  it('GOOSE_TRIP_SPOOF opens the breaker; later phasors show the new flows; two publishers are noticed', () => {
    const { world: before } = calmStretch(100)
    const flow = before.plant.solution.branches[0]?.fromMw ?? 0
    const { touched, opened, world, detectors } = attack('GOOSE_TRIP_SPOOF')
    expect(flow).toBeGreaterThan(100)
    expect(opened).toEqual(['CB-1-2'])
    expect(world.plant.solution.branches[0]?.fromMw).toBe(0)
    expect(touched[0]).toMatchObject({
      severity: 'CRITICAL',
      impact: { effects: [{ breaker: 'CB-1-2', state: 'open' }] },
      technique: { id: 'T1692.001', legacy_id: 'T0855' },
    })
    expect(detectors).toContain('sequence')
  })

  it('MODBUS_CMD_INJECT opens a breaker from a host that is not a master', () => {
    const { touched, opened } = attack('MODBUS_CMD_INJECT')
    expect(opened).toEqual(['CB-3-4'])
    expect(touched[0]).toMatchObject({ src_ip: '10.20.0.66', dst_port: 502, severity: 'HIGH' })
  })

  it('MODBUS_CMD_INJECT moves a set point inside the real session', () => {
    const params = { function: 'write_single_register', address: 0, value: 950, rogue_source: false }
    const { touched, world } = attack('MODBUS_CMD_INJECT', params)
    expect(touched[0]?.src_ip).toBe('10.20.0.10')
    expect(world.plant.solution.vmPu[2]).toBeCloseTo(0.95, 6)
  })

  it.each(['direct_operate', 'select_operate', 'direct_operate_no_ack'])('DNP3_CONTROL trips by %s', (way) => {
    const { touched, opened } = attack('DNP3_CONTROL', { function: way })
    expect(opened).toEqual(['CB-2-3'])
    expect(touched.every(({ protocol }) => protocol === 'DNP3')).toBe(true)
  })

  it('DNP3_CONTROL with its own session comes from the attacker', () => {
    expect(attack('DNP3_CONTROL', { spoof_master: false }).touched[0]?.src_ip).toBe('10.20.0.66')
  })

  it('IEC104_BREAKER_CMD walks through a range; addresses that do not exist are refused', () => {
    const { touched, opened } = attack('IEC104_BREAKER_CMD')
    expect(opened).toEqual(['CB-1-2', 'CB-1-5'])
    const refused = touched.filter(({ modified_val }) => JSON.stringify(modified_val).includes('"cause":47'))
    expect(refused).toHaveLength(4)
  })

  it('IEC104_BREAKER_CMD works with double commands, and closes what it opened', () => {
    const { opened, world } = attack('IEC104_BREAKER_CMD', { type_id: 'C_DC_NA_1', ioa_from: 1002, ioa_to: 1002 })
    expect(opened).toEqual(['CB-1-5'])
    enable(world, 'IEC104_BREAKER_CMD', { state: 'on', ioa_from: 1002, ioa_to: 1002 })
    runSteps(world, 20)
    expect(world.plant.open).toEqual([])
  })

  it('COORDINATED_OUTAGE opens its lines in turn while they are reported closed to the control centre', () => {
    const { opened, world } = attack('COORDINATED_OUTAGE', { stagger_s: 2 }, 60)
    expect(opened).toEqual(['CB-2-3', 'CB-2-4'])
    expect(world.view.closed[3]).toBe(true)
    expect(world.view.values['Pflow_2-3']).toBeGreaterThan(0.5)
  })

  it('COORDINATED_OUTAGE without a hidden view is seen', () => {
    const { world } = attack('COORDINATED_OUTAGE', { hide_view: false, stagger_s: 0 }, 60)
    expect(world.view.closed[3]).toBe(false)
  })
})

describe('MALFORMED', () => {
  it.each([
    ['DNP3', 'bad_crc'],
    ['DNP3', 'bad_length'],
    ['DNP3', 'truncated'],
    ['DNP3', 'unknown_function'],
    ['C37.118', 'bad_crc'],
    ['C37.118', 'bad_length'],
    ['C37.118', 'truncated'],
    ['IEC104', 'bad_length'],
    ['IEC104', 'truncated'],
    ['IEC104', 'unknown_function'],
    ['IEC104', 'wrong_object_count'],
    ['GOOSE', 'bad_length'],
    ['GOOSE', 'truncated'],
    ['Modbus', 'bad_length'],
    ['Modbus', 'truncated'],
    ['Modbus', 'unknown_function'],
    ['Modbus', 'wrong_object_count'],
  ])('breaks %s frames by %s and no others; the session survives', (protocol, kind) => {
    const { touched, world } = attack('MALFORMED', { protocol, kind, rate_percent: 60 }, 50)
    expect(touched.length).toBeGreaterThan(3)
    expect(touched.every((incident) => incident.protocol === protocol && incident.status === 'invalid')).toBe(true)
    expect(touched.every(({ severity }) => severity === 'LOW')).toBe(true)
    applyCommand(world, { kind: 'disable', step: world.step, attackIds: ['MALFORMED-1'] })
    const { incidents } = runSteps(world, 40)
    expect(incidents.filter((incident) => incident.protocol === protocol).length).toBeGreaterThan(10)
  })
})

describe('schedules and stacking', () => {
  it('acts from start_frame on for duration_frames of each stream', () => {
    const world = startWorld()
    const schedule = { start_frame: 5, duration_frames: 10 }
    enable(world, 'SCALE', { schedule })
    const { incidents } = runSteps(world, 100)
    const stream = incidents.filter(({ status, src_node }) => status === 'attacked' && src_node === 'PMU-1')
    expect(stream).toHaveLength(10)
  })

  it('touches one link where one is named', () => {
    const world = startWorld()
    enable(world, 'NOISE', { target_link: 'PMU-3--PDC' })
    const { incidents } = runSteps(world, 50)
    const touched = incidents.filter(({ status }) => status !== 'clean')
    expect(new Set(touched.map(({ src_node }) => src_node))).toEqual(new Set(['PMU-3']))
  })

  it('replaces an attack of the same type, and adds up others', () => {
    const world = startWorld()
    enable(world, 'SCALE', { scale_factor: 2 })
    enable(world, 'SCALE', { scale_factor: 1.5 })
    enable(world, 'RAMP', { ramp_rate: 1 })
    expect(world.attacks.map(({ order }) => order.attack_id)).toEqual(['SCALE-2', 'RAMP-3'])
    const { incidents } = runSteps(world, 10)
    const { before, after } = magnitudes(incidents.find(({ status }) => status === 'attacked') as Incident)
    expect(after).toBeCloseTo(before * 1.5 + 1, 3)
  })

  it('leaves no trace once it is disabled', () => {
    const world = startWorld({ iec61850: 2 })
    for (const { type } of attacks) enable(world, type)
    runSteps(world, 20)
    applyCommand(world, {
      kind: 'disable',
      step: world.step,
      attackIds: world.attacks.map(({ order }) => order.attack_id),
    })
    runSteps(world, 60)
    expect(runSteps(world, 40).incidents.filter(({ status }) => status !== 'clean')).toEqual([])
  })
})

describe('the catalogue', () => {
  it('finds every attack by its type, each with techniques under both ids', () => {
    for (const { type, technique, secondaryTechniques } of attacks) {
      expect(findAttack(type)?.type).toBe(type)
      for (const one of [technique, ...secondaryTechniques]) {
        expect(one?.id).toMatch(/^T\d{4}(\.\d{3})?$/)
        expect(one?.legacy_id).toMatch(/^T0\d{3}$/)
      }
    }
  })
})
