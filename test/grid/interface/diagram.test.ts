import { describe, expect, it } from 'vitest'
import {
  changedDiagram,
  completeDiagram,
  type Diagram,
  type DiagramEvent,
  describeDiagram,
} from '#grid/interface/diagram.ts'
import { calmStretch, enable, runSteps, startWorld } from '../../support/grid-session.ts'

/** Applies an event to the state of a reader, as the documentation says. */
function apply(known: Diagram, event: DiagramEvent): Diagram {
  const layer = (name: keyof Diagram) => {
    const values = Object.entries(event[name]).map(([quantity, changes]) => {
      const merged = event.complete ? changes : { ...known[name][quantity], ...changes }
      return [quantity, Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null))]
    })
    return { ...(event.complete ? {} : known[name]), ...Object.fromEntries(values) }
  }
  return { true: layer('true'), measured: layer('measured'), estimated: layer('estimated') }
}

const nothing: Diagram = { true: {}, measured: {}, estimated: {} }

describe('describeDiagram()', () => {
  it('holds the three layers of case14, which agree within what meters miss without an attack', () => {
    const { world } = runSteps(startWorld(), 50)
    const { true: truth, measured, estimated } = describeDiagram(world)
    expect(Object.keys(truth.vm_pu ?? {})).toHaveLength(14)
    expect(Object.keys(truth.closed ?? {})).toHaveLength(20)
    for (const bus of Object.keys(truth.vm_pu ?? {})) {
      expect(Math.abs(Number(truth.vm_pu?.[bus]) - Number(measured.vm_pu?.[bus]))).toBeLessThan(0.02)
      expect(Math.abs(Number(truth.vm_pu?.[bus]) - Number(estimated.vm_pu?.[bus]))).toBeLessThan(0.01)
      expect(Math.abs(Number(truth.va_deg?.[bus]) - Number(estimated.va_deg?.[bus]))).toBeLessThan(1)
    }
    for (const branch of Object.keys(truth.flow_mw ?? {})) {
      expect(Math.abs(Number(truth.flow_mw?.[branch]) - Number(estimated.flow_mw?.[branch]))).toBeLessThan(4)
    }
  })

  it('shows how a stealthy attack parts the estimate from the truth', () => {
    const { world } = calmStretch(50)
    enable(world, 'FDI_STEALTH', { bus: 14, vm_shift_pu: -0.05 })
    runSteps(world, 60)
    const { true: truth, estimated } = describeDiagram(world)
    expect(Number(truth.vm_pu?.[14]) - Number(estimated.vm_pu?.[14])).toBeGreaterThan(0.03)
    expect(Math.abs(Number(truth.vm_pu?.[2]) - Number(estimated.vm_pu?.[2]))).toBeLessThan(0.01)
  })
})

describe('changedDiagram()', () => {
  it('is nothing where nothing changed', () => {
    const { world } = runSteps(startWorld(), 50)
    const diagram = describeDiagram(world)
    expect(changedDiagram(world, diagram, structuredClone(diagram))).toBeUndefined()
  })

  it('brings a reader from any diagram to any later one, values that vanish included', () => {
    const { world } = calmStretch(30)
    const first = describeDiagram(world)
    let known = apply(nothing, completeDiagram(world, first))
    let before = first
    enable(world, 'IEC104_BREAKER_CMD')
    for (let round = 0; round < 20; round++) {
      runSteps(world, 7)
      const after = describeDiagram(world)
      const event = changedDiagram(world, before, after)
      if (event !== undefined) known = apply(known, JSON.parse(JSON.stringify(event)))
      before = after
    }
    expect(known).toEqual(before)
    const vanished = changedDiagram(world, before, { ...before, estimated: {} })
    expect(vanished?.estimated.vm_pu?.[1]).toBeNull()
  })

  it('stays below 24 kB for the largest case, and below half of it for what changes in a second', () => {
    const { world } = calmStretch(50, { case: 'case118', load_noise: 1 })
    const before = describeDiagram(world)
    expect(JSON.stringify(completeDiagram(world, before)).length).toBeLessThan(24_000)
    runSteps(world, 10)
    expect(JSON.stringify(changedDiagram(world, before, describeDiagram(world))).length).toBeLessThan(12_000)
  })
})
