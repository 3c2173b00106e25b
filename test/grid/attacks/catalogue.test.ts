/** The catalogue: the survey's table row by row, and no parameters inside its bounds that break a session. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { attacks, findAttack } from '#grid/attacks/catalogue.ts'
import { readOrder } from '#grid/attacks/order.ts'
import type { ParamSpec } from '#grid/attacks/params.ts'
import { techniques } from '#grid/attacks/techniques.ts'
import { findTelecontrol } from '#grid/engine.ts'
import { applyCommand } from '#grid/step/apply-command.ts'
import { attackRows, scheduleRow } from '../../support/attack-catalogue.ts'
import { openFrame } from '../../support/attack-session.ts'
import { calmStretch, runSteps, startWorld } from '../../support/grid-session.ts'
import { sweep } from '../../support/sweep.ts'

/** The part of a parameter that decides about requests; words for people may differ. */
function rules(spec: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { description: _, unit: __, items: ___, ...rest } = spec
  return rest.type === 'array' ? { ...rest, type: 'strings' } : rest
}

/** The survey's table knows no networks that are imported, with any numbers of buses. */
const beyondTable: Readonly<Record<string, object>> = { 'FDI_STEALTH bus': { max: Number.MAX_SAFE_INTEGER } }

describe('attacks', () => {
  it('are the types of the table in its order', () => {
    expect(attacks.map(({ type }) => type)).toEqual(attackRows.map(({ id }) => id))
  })

  it.each(attackRows)('$id has the parameters, defaults and bounds of the table', ({ id, params }) => {
    const own = Object.entries(findAttack(id)?.params ?? {}).map(([name, spec]) => [name, rules({ ...spec })])
    const told = Object.entries(params).map(([name, spec]) => [
      name,
      { ...rules(spec), ...beyondTable[`${id} ${name}`] },
    ])
    expect(Object.fromEntries(own)).toEqual(Object.fromEntries(told))
    expect(own.map(([name]) => name)).toEqual(told.map(([name]) => name))
  })

  it.each(attackRows)('$id has the techniques, severity and status of the table', (row) => {
    const attack = findAttack(row.id)
    expect(attack?.technique).toEqual(row.technique)
    expect(attack?.secondaryTechniques).toEqual(row.secondary_techniques)
    expect([attack?.severity, attack?.status]).toEqual([row.severity, row.incident_status])
  })
})

describe('techniques', () => {
  it('keep the legacy id where the current one replaced it, and repeat the id elsewhere', () => {
    const revoked = new Map([
      ['T1692.001', 'T0855'],
      ['T1692.002', 'T0856'],
      ['T1691.002', 'T0804'],
      ['T0846.001', 'T0846'],
    ])
    for (const { id, legacy_id } of Object.values(techniques)) {
      expect(legacy_id).toBe(revoked.get(id) ?? id)
    }
  })
})

describe('a schedule', () => {
  const plan = findTelecontrol(startWorld())
  const read = (schedule: unknown) => readOrder({ type: 'NOISE', params: {}, schedule }, plan, 1)

  it('has the bounds of the table and lists each mistake under its full name', () => {
    const { start_frame, duration_frames } = scheduleRow
    expect(start_frame.max).toBe(duration_frames.max)
    expect(read({ start_frame: start_frame.max, duration_frames: duration_frames.max }).ok).toBe(true)
    expect(read({ start_frame: start_frame.max + 1, duration_frames: -1, stop: 2 })).toMatchObject({
      mistakes: [
        { message: expect.stringContaining('"stop"') },
        { message: expect.stringContaining('"schedule.start_frame"') },
        { message: expect.stringContaining('"schedule.duration_frames"') },
      ],
    })
  })
})

/** Any value that a parameter's table allows, its bounds more often than others. */
function arbitrary(spec: ParamSpec): fc.Arbitrary<unknown> {
  switch (spec.type) {
    case 'number':
      return fc.oneof(
        fc.constantFrom(spec.min, spec.max, spec.default),
        fc.double({ min: spec.min, max: spec.max, noNaN: true }),
      )
    case 'integer':
      return fc.oneof(
        fc.constantFrom(spec.min, spec.max, spec.default),
        // What exists in a small grid has small numbers.
        fc.integer({ min: spec.min, max: Math.min(spec.max, spec.min + 14) }),
      )
    case 'boolean':
      return fc.boolean()
    case 'string':
      return 'enum' in spec ? fc.constantFrom(...spec.enum) : fc.constantFrom('CB-1-2', 'CB-2-3', 'CB-6-12')
    case 'strings':
      return fc.subarray(['1-2', '2-3', '2-4', '4-7', '9-14', '6-12'], { minLength: 1 })
  }
}

describe('step()', () => {
  const plan = findTelecontrol(startWorld({ iec61850: 2 }))

  it.each(attacks)('bears $type with any parameters inside their bounds', ({ type, params }) => {
    const given = fc.record(Object.fromEntries(Object.entries(params).map(([name, spec]) => [name, arbitrary(spec)])))
    fc.assert(
      fc.property(given, (values) => {
        const read = readOrder({ type, params: values }, plan, 1)
        // What the table allows may still name nothing that exists; then the order says so.
        if (!read.ok) {
          expect(read.mistakes.length).toBeGreaterThan(0)
          return
        }
        const { world } = calmStretch(21, { load_speed: 0, iec61850: 2 })
        applyCommand(world, { kind: 'enable', step: world.step, order: { ...read.order, attack_id: `${type}-1` } })
        const { frames, incidents } = runSteps(world, 16)
        // The carrier of every frame is whole after any change inside; only a broken GOOSE frame has none.
        for (const frame of frames) if (frame.protocol !== 'GOOSE') openFrame(frame)
        for (const { status, attack_id, attack_type, technique } of incidents) {
          const told = status === 'clean' ? ['NONE', undefined, undefined] : [type, `${type}-1`, expect.anything()]
          expect([attack_type, attack_id, technique]).toEqual(told)
        }
      }),
      { seed: 11, numRuns: sweep(12, 5) },
    )
  })
})
