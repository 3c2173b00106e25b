import { expect, it } from 'vitest'
import { parameterHint, parameterLabel } from '#console/grid/parameter-label.ts'
import { attacks } from '#grid/attacks/catalogue.ts'

it('parameterLabel() writes a name in words, without the unit that the hint has', () => {
  expect(['vm_shift_pu', 'st_num_jump', 'freq_std', 'bus', 'stagger_s', 'rate_percent'].map(parameterLabel)).toEqual([
    'Voltage shift',
    'State number jump',
    'Frequency spread',
    'Bus',
    'Stagger',
    'Rate',
  ])
})

it('parameterHint() has the bounds, the unit, and the value that is sent while the field is empty', () => {
  const pu = { type: 'number', default: -0.03, min: -0.2, max: 0.2, unit: 'pu' } as const
  expect(parameterHint(pu)).toBe('-0.2 to 0.2 pu; -0.03 when empty')
  expect(parameterHint({ type: 'strings', default: ['1-2', '1-5'], maxItems: 6 })).toBe('1-2, 1-5 when empty')
  expect(parameterHint({ type: 'string', default: 'up', enum: ['up', 'down'] })).toBe('')
})

it('each parameter of an attack has another label', () => {
  for (const { type, params } of attacks) {
    const labels = Object.keys(params).map(parameterLabel)
    expect(new Set(labels).size, type).toBe(labels.length)
    for (const label of labels) expect(label, type).toMatch(/^[A-Z][A-Za-z0-9 ]+$/)
  }
})
