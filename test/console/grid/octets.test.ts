import { expect, it } from 'vitest'
import { compareFields, markOctets } from '#console/grid/octets.ts'

it('markOctets() marks octets that differ, and those that the other form does not have', () => {
  expect(markOctets('0a0b0c', '0a0f').map(({ hex, isChanged }) => `${hex}${isChanged ? '!' : ''}`)).toEqual([
    '0a',
    '0b!',
    '0c!',
  ])
  expect(markOctets('', '0a')).toEqual([])
})

it('compareFields() names every field by its path, without the octets', () => {
  const before = { raw_hex: '00', asdu: { objects: [{ value: 1 }, { value: 2 }] } }
  const after = { raw_hex: '01', asdu: { objects: [{ value: 1 }, { value: 3 }] }, added: true }
  expect(compareFields(before, after)).toEqual([
    { name: 'asdu.objects.0.value', before: '1', after: '1', isChanged: false },
    { name: 'asdu.objects.1.value', before: '2', after: '3', isChanged: true },
    { name: 'added', before: '', after: 'true', isChanged: true },
  ])
})
