import { describe, expect, it } from 'vitest'
import { encodeHex } from '#base/hex.ts'
import { encodeUtf8 } from '#base/utf8.ts'
import { sha1, uuidV5 } from '#base/uuid.ts'
import { vectorsOf } from '../support/streams-vectors.ts'

describe('sha1()', () => {
  // FIPS 180-4 examples of NIST, and lengths around the block boundary checked with an independent tool.
  it.each([
    ['', 'da39a3ee5e6b4b0d3255bfef95601890afd80709'],
    ['abc', 'a9993e364706816aba3e25717850c26c9cd0d89d'],
    ['abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq', '84983e441c3bd26ebaae4aa1f95129e5e54670f1'],
    ['a'.repeat(55), 'c1c8bbdc22796e28c0e15163d20899b65621d65a'],
    ['a'.repeat(64), '0098ba824b5c16427bd7a1122a5a442a25ec644d'],
    ['a'.repeat(1_000_000), '34aa973cd4c4daa4f61eeb2bdbad27316534016f'],
  ])('digests %j', (text, digest) => {
    expect(encodeHex(sha1(encodeUtf8(text)))).toBe(digest)
  })
})

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

  it('refuses a namespace that is no UUID', () => {
    expect(() => uuidV5('1234', 'name')).toThrow(/namespace/)
  })
})
