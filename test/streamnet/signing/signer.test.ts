import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { encodeHex } from '#base/hex.ts'
import { recoverPersonalMessage } from '#streamnet/signing/digest.ts'
import { createSigner, createWalletSigner } from '#streamnet/signing/signer.ts'

const key = '11'.repeat(32)

test('createSigner() shows its key nowhere', () => {
  const signer = createSigner(key)
  const shown = `${inspect(signer, { depth: 9, showHidden: true })} ${JSON.stringify(signer)} ${String(signer)}`
  expect(shown).not.toContain('1111')
  expect(shown).not.toContain('17, 17')
})

const order = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141'

test.each([
  ['empty text', ''],
  ['half a key', '11'.repeat(16)],
  ['a key and a half', '11'.repeat(48)],
  ['text that is no hex', 'zz'.repeat(32)],
  ['zero', '00'.repeat(32)],
  ['the order of the curve', order],
])('createSigner() refuses %s without repeating it', (_, text) => {
  let message = ''
  try {
    createSigner(text)
  } catch (error) {
    message = inspect(error, { depth: 9 })
  }
  expect(message).toContain('Cannot use private key')
  if (text !== '') expect(message).not.toContain(text)
})

test('createWalletSigner() asks for a personal signature of the text in hex', async () => {
  const held = createSigner(key)
  const asked: unknown[] = []
  const provider = {
    async request(request: { method: string; params: readonly unknown[] }) {
      asked.push(request)
      const signature = await held.signMessage('hello')
      return `0x${encodeHex(signature)}`
    },
  }
  const signature = await createWalletSigner(provider, held.address).signMessage('hello')
  expect(asked).toEqual([{ method: 'personal_sign', params: ['0x68656c6c6f', held.address] }])
  expect(recoverPersonalMessage('hello', signature)).toBe(held.address)
})

test('createWalletSigner() refuses an answer that is not a signature', async () => {
  const signer = createWalletSigner({ request: async () => null }, createSigner(key).address)
  await expect(signer.signMessage('hello')).rejects.toMatchObject({ code: 'malformed_bytes' })
})
