import { sha256 as sha256OfNoble } from '@noble/hashes/sha2.js'
import { afterEach, expect, test, vi } from 'vitest'
import { encodeHex } from '#base/hex.ts'
import { encodeUtf8 } from '#base/utf8.ts'
import { sha256 } from '#streamnet/codec/sha256.ts'
import { digestSha256 } from '#streamnet/platform.ts'
import { messagesUpTo } from './hashes.ts'

afterEach(() => vi.unstubAllGlobals())

// FIPS 180-4, examples of its publisher.
test.each([
  ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
])('sha256() of "%s" is the published one', async (text, digest) => {
  expect(encodeHex(sha256(encodeUtf8(text)))).toBe(digest)
  expect(encodeHex(await digestSha256(encodeUtf8(text)))).toBe(digest)
})

test('sha256() gives what noble gives, up to three blocks and more', () => {
  for (const message of messagesUpTo(200)) expect(sha256(message)).toEqual(sha256OfNoble(message))
})

test('digestSha256() says what is missing on a page without WebCrypto', async () => {
  vi.stubGlobal('crypto', {})
  await expect(digestSha256(new Uint8Array())).rejects.toThrow('crypto.subtle must be defined')
})
