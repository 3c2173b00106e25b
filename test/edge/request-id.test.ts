import { describe, expect, it } from 'vitest'
import { longestRequestId, readRequestId } from '#edge/request-id.ts'

const read = (headers: Readonly<Record<string, string>>) => readRequestId((name) => headers[name] ?? null)

describe('readRequestId()', () => {
  it.each([
    ['a UUID', { 'x-request-id': '5f0c1f0e-64a0-4d0c-9d57-9b3e6f1f2a10' }, '5f0c1f0e-64a0-4d0c-9d57-9b3e6f1f2a10'],
    ['a ray id', { 'cf-ray': '8c1a2b3c4d5e6f70-FRA' }, '8c1a2b3c4d5e6f70-FRA'],
    ['the one of the proxy before the ray id', { 'x-request-id': 'own', 'cf-ray': 'ray' }, 'own'],
    ['the ray id where the other is malformed', { 'x-request-id': 'a b', 'cf-ray': 'ray' }, 'ray'],
    ['the longest', { 'x-request-id': 'a'.repeat(longestRequestId) }, 'a'.repeat(longestRequestId)],
  ])('takes over %s', (_, headers, id) => {
    expect(read(headers as Record<string, string>)).toBe(id)
  })

  it.each([
    ['nothing', {}],
    ['an empty one', { 'x-request-id': '' }],
    ['one that is too long', { 'x-request-id': 'a'.repeat(longestRequestId + 1) }],
    ['one that would end a log line', { 'x-request-id': 'a\nlevel=error' }],
    ['one that a log would quote', { 'x-request-id': 'a"b' }],
    ['one that begins with punctuation', { 'x-request-id': '-a' }],
  ])('takes over nothing of %s', (_, headers) => {
    expect(read(headers as Record<string, string>)).toBeUndefined()
  })
})
