/** A source of nonces: each use gets the next number, a refusal corrects it, and any other failure forgets it. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { StreamNetError } from '#streamnet/errors.ts'
import { createNonceSource } from '#streamnet/transaction/nonce.ts'

const refusal = (got: number, expected: number | undefined) =>
  new StreamNetError('invalid_nonce', 'wrong nonce', { got, expected, hash: '' })

/** A node that takes no number but the next. */
function strictNode(next: number) {
  const node = { next, reads: 0, taken: [] as number[] }
  return {
    node,
    read: async () => {
      node.reads += 1
      return node.next
    },
    send: async (nonce: number) => {
      if (nonce !== node.next) throw refusal(nonce, node.next)
      node.next += 1
      node.taken.push(nonce)
      return nonce
    },
  }
}

test('uses at the same time get consecutive numbers in their order, after one reading (property)', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(1_000), fc.integer({ min: 1, max: 30 }), async (first, uses) => {
      const { node, read, send } = strictNode(first)
      const source = createNonceSource()
      const sent = await Promise.all(Array.from({ length: uses }, () => source.use(read, send)))
      expect(sent).toEqual(Array.from({ length: uses }, (_, at) => first + at))
      expect(node.reads).toBe(1)
    }),
    { seed: 1, numRuns: 30 },
  )
})

test('a refusal that names the expected number is corrected without another reading', async () => {
  const { node, read, send } = strictNode(5)
  const source = createNonceSource()
  await source.use(read, send)
  // Another process uses the key.
  node.next = 9
  expect(await source.use(read, send)).toBe(9)
  expect([node.reads, node.taken]).toEqual([1, [5, 9]])
})

test('a refusal that names none makes the source read again', async () => {
  const numbers = [3, 7]
  let reads = 0
  const sent = await createNonceSource().use(
    async () => numbers[reads++] ?? 0,
    async (nonce) => {
      if (nonce === 3) throw refusal(3, undefined)
      return nonce
    },
  )
  expect([sent, reads]).toEqual([7, 2])
})

test('a key that loses every race is given up after three corrections', async () => {
  let attempts = 0
  const racing = createNonceSource().use(
    async () => 0,
    async (nonce) => {
      attempts += 1
      throw refusal(nonce, nonce + 1)
    },
  )
  await expect(racing).rejects.toMatchObject({ code: 'invalid_nonce', data: { got: 3, expected: 4 } })
  expect(attempts).toBe(4)
})

test('any other failure is thrown at once, and the next use reads again', async () => {
  const { node, read, send } = strictNode(5)
  const source = createNonceSource()
  await source.use(read, send)
  const lost = source.use(read, async () => {
    throw new Error('the answer was lost')
  })
  const next = source.use(read, send)
  await expect(lost).rejects.toThrow('the answer was lost')
  expect(await next).toBe(6)
  expect(node.reads).toBe(2)
})

test('forget() has the number read again', async () => {
  const { node, read, send } = strictNode(5)
  const source = createNonceSource()
  await source.use(read, send)
  source.forget()
  await source.use(read, send)
  expect(node.reads).toBe(2)
})
