import { describe, expect, it } from 'vitest'
import { uuidV5 } from '#base/uuid.ts'
import { vectorsOf } from '../support/streams-vectors.ts'

describe('uuidV5()', () => {
  // The stream network's engine names rows by identifiers of version 5.
  const vectors = vectorsOf<{ namespace: string; name: string }, string>('uuid_v5')

  it.each(vectors)('gives the published identifier of $id', ({ input, expected }) => {
    expect(uuidV5(input.namespace, input.name)).toBe(expected)
  })

  it('gives the example of RFC 9562 appendix A.4', () => {
    expect(uuidV5('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 'www.example.com')).toBe(
      '2ed6657d-e927-568b-95e1-2665a8aea6a2',
    )
  })

  it('refuses a namespace that is not a UUID', () => {
    expect(() => uuidV5('1234', 'name')).toThrow(/namespace/)
  })
})
