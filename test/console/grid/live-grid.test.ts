import { describe, expect, it } from 'vitest'
import { emptyGrid, kept, takeEvent } from '#console/grid/live-grid.ts'

const incident = (number: number) => ({
  event: 'incident',
  lastEventId: `0a0b0c0d-${number}`,
  data: JSON.stringify({ id: `id${number}`, timestamp: 1000 + number / 1000, severity: 'HIGH', protocol: 'DNP3' }),
})
const diagram = (time: number, complete: boolean, truth: object) => ({
  event: 'diagram',
  lastEventId: '',
  data: JSON.stringify({ time, tick: 0, complete, true: truth, measured: {}, estimated: {} }),
})

describe('takeEvent()', () => {
  it('keeps the newest of a flood and counts all of it', () => {
    const grid = emptyGrid()
    for (let number = 1; number <= 50_000; number++) takeEvent(grid, incident(number))
    expect(grid.received).toBe(50_000)
    expect(grid.incidents.length).toBeLessThanOrEqual(kept.incidents * 1.2)
    const last = grid.incidents.at(-1)
    expect([last?.number, last?.at, last?.severity, last?.read().protocol]).toEqual([50_000, 1050, 'HIGH', 'DNP3'])
  })

  it('applies changes to the whole diagram, and removes parts that ceased to exist', () => {
    const grid = emptyGrid()
    takeEvent(grid, diagram(1, true, { vm_pu: { 1: 1.06, 2: 1 } }))
    takeEvent(grid, diagram(2, false, { vm_pu: { 2: null }, closed: { 3: false } }))
    expect(grid.layers.true).toEqual({ vm_pu: { 1: 1.06 }, closed: { 3: false } })
    takeEvent(grid, diagram(3, true, { vm_pu: { 9: 1 } }))
    expect(grid.layers.true).toEqual({ vm_pu: { 9: 1 } })
  })

  it('bounds the trends, and restarts them where time goes back', () => {
    const grid = emptyGrid()
    for (let time = 0; time < 5000; time++) takeEvent(grid, diagram(time, true, {}))
    expect(grid.trend.length).toBeLessThanOrEqual(kept.trend * 1.2)
    takeEvent(grid, diagram(10, true, {}))
    expect(grid.trend.map(({ at }) => at)).toEqual([10])
  })

  it('is true when another session has begun', () => {
    const status = (event: string) => ({ event: 'status', lastEventId: '', data: JSON.stringify({ event }) })
    expect([takeEvent(emptyGrid(), status('reset')), takeEvent(emptyGrid(), status('other'))]).toEqual([true, false])
  })
})
