/** SignerObject.write(): nonces in order, and failures that stop nothing. */

import { describe, expect, it } from 'vitest'
import { SignerObject } from '#objects/streamnet/signer.ts'
import { createSigner } from '#streamnet/index.ts'
import { transactionFromJson } from '#streamnet/rpc/transaction-json.ts'
import { hashTransactionSync } from '#streamnet/signing/sync-signer.ts'
import { must } from '#test/support/must.ts'
import { createFakeNode, deploy, inSigner, resultOf, signingKey } from './signer/fake-node.ts'

describe('SignerObject.write()', () => {
  it('gives fifty writes at once the nonces 1 to 50, in the order they came', async () => {
    await inSigner(async (open, node) => {
      const signer = open()
      const outcomes = await Promise.all(Array.from({ length: 50 }, (_, index) => signer.write(deploy(`w${index}`))))
      expect(node.nonces()).toEqual(Array.from({ length: 50 }, (_, index) => index + 1))
      expect(outcomes.map(resultOf)).toEqual(node.accepted.map((tx) => hashTransactionSync(transactionFromJson(tx))))
      const [first] = node.accepted
      expect(first?.sender).toBe(createSigner(signingKey).address.slice(2))
    })
  })

  it('goes on with the next write where one has failed', async () => {
    await inSigner(async (open, node) => {
      const signer = open()
      node.fates = ['accepted', 'pool full', 'accepted']
      const outcomes = await Promise.all(['a', 'b', 'c'].map((name) => signer.write(deploy(name))))
      expect(outcomes.map(({ ok }) => ok)).toEqual([true, false, true])
      expect(node.nonces()).toEqual([1, 2])
    })
  })

  it('takes the next nonce where another program has used one', async () => {
    await inSigner(async (open, node) => {
      const signer = open()
      await signer.write(deploy('a'))
      // A transaction of the same key from elsewhere.
      node.accepted.push(must(node.accepted[0]))
      expect((await signer.write(deploy('b'))).ok).toBe(true)
      expect(node.nonces().at(-1)).toBe(3)
    })
  })

  it('answers a failure with the code of the client, and without the key', async () => {
    await inSigner(async (open, node) => {
      node.fates = ['pool full']
      const refused = await open().write(deploy('x'))
      expect(refused).toMatchObject({ ok: false, problem: { code: 'mempool_full' } })
      expect(JSON.stringify(refused)).not.toContain(signingKey)
      expect(await open().write({ ...deploy('x'), operation: 'no_such' })).toMatchObject({
        problem: { code: 'unknown_operation' },
      })
    })
  })

  it('refuses to sign with another key than the one it has promised for', async () => {
    await inSigner(async (open, _, state) => {
      await open().write(deploy('x'))
      const { environment } = createFakeNode()
      const stranger = new SignerObject(state, { ...environment, STREAMNET_PRIVATE_KEY: '6f'.repeat(32) })
      expect(await stranger.write(deploy('y'))).toMatchObject({ problem: { code: 'key_missing' } })
    })
  })
})
