/** FDI_STEALTH: exactly the meters that must move, in valid frames, and an estimator that believes them. */

import { describe, expect, it } from 'vitest'
import { findTelecontrol } from '#grid/engine.ts'
import { designStealth } from '#grid/estimation/stealth.ts'
import { findCase } from '#grid/network/cases/catalogue.ts'
import { busPosition } from '#grid/network/network.ts'
import { decodeDnp3 } from '#grid/protocols/dnp3.ts'
import { decodeIec104 } from '#grid/protocols/iec104.ts'
import { decodeModbusResponse, fromRegisters } from '#grid/protocols/modbus.ts'
import { meterPoints } from '#grid/telecontrol/meters.ts'
import { objectAddress } from '#grid/telecontrol/telecontrol.ts'
import type { PacketRecord } from '#grid/types.ts'
import { techniqueOf } from '../../support/attack-catalogue.ts'
import { alarmNames, type Duel, detectors, duel, handled, incidentOf, payloadOf } from '../../support/attack-session.ts'
import { changesIn, enable, runSteps, startWorld } from '../../support/grid-session.ts'

/** The measured values inside a report, by name of the point. */
function valuesOf(run: Duel, frame: PacketRecord): ReadonlyMap<string, number> {
  const plan = findTelecontrol(run.attacked.world)
  const outstation = plan.outstations.find(({ host }) => frame.src.startsWith(`${host.ip}:`))
  const octets = payloadOf(frame)
  const values: number[] = []
  if (outstation?.protocol === 'Modbus') {
    const { value } = must(decodeModbusResponse(octets))
    if (value.pdu.kind === 'read_input_registers') {
      const words = value.pdu.values
      outstation.points.forEach((_, index) => {
        values.push(fromRegisters(words[index * 2] ?? 0, words[index * 2 + 1] ?? 0))
      })
    }
  } else if (outstation?.protocol === 'DNP3') {
    for (const object of must(decodeDnp3(octets)).value.fragment.objects) {
      if (object.kind === 'analog_input') for (const { index, value } of object.points) values[index] = value
    }
  } else {
    const { value } = must(decodeIec104(octets))
    if (value.format === 'I' && value.asdu.type === 'M_ME_NC_1') {
      for (const { address, value: reported } of value.asdu.objects) {
        values[address - objectAddress.measurement] = reported
      }
    }
  }
  return new Map(values.map((value, index) => [outstation?.points[index]?.name ?? '', value]))
}

function must<T>(decoded: T): Extract<T, { ok: true }> {
  if ((decoded as { ok: boolean }).ok) return decoded as Extract<T, { ok: true }>
  throw new Error(JSON.stringify(decoded))
}

/** Every meter that moved in one scan, and by how much. */
function moved(run: Duel): Map<string, number> {
  return new Map(
    handled(run.attacked).flatMap(({ before, after }) => {
      if (after === undefined) return []
      const sent = valuesOf(run, before)
      return [...valuesOf(run, after)].flatMap(([name, value]) => {
        const offset = value - (sent.get(name) ?? Number.NaN)
        return offset === 0 ? [] : [[name, offset] as const]
      })
    }),
  )
}

describe('FDI_STEALTH', () => {
  const scan = duel('FDI_STEALTH', {}, { steps: 20 })

  it('moves the eleven meters around bus 14 in one scan, each by what the AC equations require', () => {
    const network = findCase('case14')
    const meters = meterPoints(findTelecontrol(scan.attacked.world))
    // The loads rest, so that the state at the end of the scan is the one at its beginning.
    const { vmPu, vaRad } = scan.twin.world.plant.solution
    const target = { bus: 14, angleShiftDeg: -5, vmShiftPu: -0.03, model: 'ac' } as const
    const points = meters.map(({ point }) => point)
    const wanted = designStealth(network, points, { vmPu, vaRad }, target)
    const offsets = moved(scan)
    expect([...offsets.keys()].sort()).toEqual(wanted.map(({ index }) => meters[index]?.name ?? '').sort())
    expect(offsets.size).toBe(11)
    for (const { index, offset } of wanted) {
      // The attacker knows the state from his own estimate: a few hundredths of a percent off.
      expect(offsets.get(meters[index]?.name ?? '')).toBeCloseTo(offset, 2)
    }
  })

  it('leaves valid frames, labelled with every register and value that it changed', () => {
    const pairs = handled(scan.attacked)
    expect(new Set(pairs.map(({ before }) => before.protocol))).toEqual(new Set(['DNP3', 'IEC104', 'Modbus']))
    for (const { before, after } of pairs) {
      if (after === undefined) throw new Error('a report was lost')
      expect(after.bytes.length).toBe(before.bytes.length)
      expect(after.label).toMatchObject({ attack_type: 'FDI_STEALTH', technique: techniqueOf('FDI_STEALTH') })
      expect(changesIn(after).length).toBeGreaterThan(0)
      expect(incidentOf(scan.attacked, after)).toMatchObject({
        status: 'attacked',
        severity: 'HIGH',
        description: 'Stealth injection at bus 14: -5 deg, -0.03 pu',
      })
    }
  })

  it('leaves reports without a meter that has to move unchanged', () => {
    const touched = new Set(
      scan.attacked.incidents.filter(({ status }) => status !== 'clean').map(({ src_node }) => src_node),
    )
    expect([...touched].sort()).toEqual(['RTU-13', 'RTU-14', 'RTU-9'])
  })

  it('moves the believed state, passes every test of the residuals, and is seen by the current that a unit next to it measures', () => {
    const run = duel('FDI_STEALTH', {}, { steps: 101 })
    const [fooled, honest] = [run.attacked.world.view.estimate, run.twin.world.view.estimate]
    const at = busPosition(findCase('case14'), 14)
    expect(((fooled?.vaRad[at] ?? 0) - (honest?.vaRad[at] ?? 0)) * (180 / Math.PI)).toBeCloseTo(-5, 1)
    expect((fooled?.vmPu[at] ?? 0) - (honest?.vmPu[at] ?? 0)).toBeCloseTo(-0.03, 2)
    expect(Math.abs((fooled?.objective ?? 0) - (honest?.objective ?? 0))).toBeLessThan(0.1)
    expect(alarmNames(run.alarms)).toEqual([...alarmNames(run.twinAlarms), 'current PMU-4'])
    expect(run.attacked.world.plant).toEqual(run.twin.world.plant)
  })

  it('turns the phasor of a unit at its bus along, so that angle and estimate agree', () => {
    const run = duel('FDI_STEALTH', { bus: 9, angle_shift_deg: -4, vm_shift_pu: -0.01 }, { steps: 101 })
    const changes = run.attacked.frames
      .filter(({ src, label }) => src.startsWith('10.20.2.4:') && label !== null)
      .flatMap(changesIn)
    expect(new Set(changes.map(({ field }) => field))).toEqual(
      new Set(['pmus.0.phasors.0.magnitude', 'pmus.0.phasors.0.angle']),
    )
    expect(detectors(run.alarms)).not.toContain('angle')
    expect(detectors(run.alarms)).not.toContain('chi_square')
  })

  it.each([11, 15, 19])('waits, when it is enabled at step %i, for the next scan', (step) => {
    const world = startWorld()
    runSteps(world, step)
    enable(world, 'FDI_STEALTH', {})
    const waiting = runSteps(world, 20 - step).incidents
    expect(waiting.filter(({ status }) => status === 'attacked')).toEqual([])
    const acting = runSteps(world, 20).incidents.filter(({ status }) => status === 'attacked')
    expect(new Set(acting.map(({ src_node }) => src_node))).toEqual(new Set(['RTU-9', 'RTU-13', 'RTU-14']))
    expect(world.view.estimate?.suspicious).toBe(false)
    runSteps(world, 1)
    expect(world.view.alarms.map(({ detector }) => detector)).not.toContain('chi_square')
  })

  it('falsifies the frames that it was ordered for, also within a scan', () => {
    const world = startWorld()
    runSteps(world, 11)
    enable(world, 'FDI_STEALTH', { schedule: { duration_frames: 4 } })
    const { incidents } = runSteps(world, 9)
    expect(incidents.some(({ status }) => status === 'attacked')).toBe(true)
  })

  it('is found when it is made with the linear model and large', () => {
    const run = duel('FDI_STEALTH', { model: 'dc', angle_shift_deg: -15 }, { steps: 41 })
    expect(detectors(run.alarms)).toContain('chi_square')
  })

  it('without any meter under control changes nothing', () => {
    expect(moved(duel('FDI_STEALTH', { coverage: 0 }, { steps: 20 })).size).toBe(0)
  })
})
