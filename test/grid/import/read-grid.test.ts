import { expect, it } from 'vitest'
import { readFrequency } from '#grid/import/read-grid.ts'

it('readFrequency() reads hertz from 16 to 70', () => {
  expect(['16.7', '50', '70'].map(readFrequency)).toEqual([16.7, 50, 70])
  for (const written of ['', 'fast', '15', '71', 'NaN']) {
    expect(() => readFrequency(written)).toThrow(`frequency is "${written}", expected hertz from 16 to 70`)
  }
})
