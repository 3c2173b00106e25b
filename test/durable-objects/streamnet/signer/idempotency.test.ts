/** Idempotency keys of a signer: one transaction for a key, through crashes and lost answers. */

import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { generateStreamId } from '#streamnet/index.ts'
import { deploy, everything, inSigner, newJob, resultOf } from './fake-node.ts'

describe('SignerObject.write() with an idempotency key', () => {
  it('makes one transaction of requests that come at once, later, or after an eviction', async () => {
    await inSigner(async (open, node) => {
      const signer = open()
      const together = await Promise.all(Array.from({ length: 10 }, () => signer.write(deploy('once', 'k'))))
      const later = await open().write(deploy('once', 'k'))
      expect(new Set([...together, later].map(resultOf)).size).toBe(1)
      expect(together.map(({ isReplay }) => isReplay)).toEqual([false, ...Array(9).fill(true)])
      expect(later.isReplay).toBe(true)
      expect(node.accepted).toHaveLength(1)
      expect(await open().write(deploy('other', 'k'))).toMatchObject({ problem: { code: 'idempotency_conflict' } })
    })
  })

  it('stopped after sending: the same bytes are found, and nothing is signed anew', async () => {
    await inSigner(async (open, node) => {
      node.fates = ['accepted', 'never answered']
      await open().write(deploy('before'))
      void open().write(deploy('cut off', 'k'))
      // The note is on disk before the broadcast leaves.
      await expect.poll(() => node.fates.length).toBe(0)
      const again = await open().write(deploy('cut off', 'k'))
      expect(again.ok).toBe(true)
      expect(node.nonces()).toEqual([1, 2])
      expect((await open().write(deploy('cut off', 'k'))).isReplay).toBe(true)
      expect(node.accepted).toHaveLength(2)
    })
  })

  it('an answer that got lost: the transaction is found by its hash', async () => {
    await inSigner(async (open, node) => {
      node.fates = ['accepted, answer lost']
      expect((await open().write(deploy('lost answer', 'k'))).ok).toBe(true)
      expect(node.accepted).toHaveLength(1)
    })
  })

  it('a transaction that got lost is sent again as it was; one whose nonce is gone is signed anew', async () => {
    await inSigner(async (open, node) => {
      node.fates = ['lost']
      expect(await open().write(deploy('lost', 'k'))).toMatchObject({ problem: { code: 'connection_lost' } })
      // Another client's transaction takes the number.
      expect((await open().write(deploy('other'))).ok).toBe(true)
      expect((await open().write(deploy('lost', 'k'))).ok).toBe(true)
      expect(node.nonces()).toEqual([1, 2])
    })
  })

  it('a transaction that was sent stays the one of its key when the wait for its block fails', async () => {
    await inSigner(async (open, node) => {
      const request = { ...deploy('waited for', 'k'), params: { streamId: generateStreamId('waited for') } }
      node.unserved = ['user.tx_query']
      expect(await open().write(request)).toMatchObject({ problem: { code: 'no_backend' } })
      expect(await open().write(request)).toMatchObject({ ok: false })
      node.unserved = []
      expect(await open().write(request)).toMatchObject({ ok: true, isReplay: true })
      expect(node.nonces()).toEqual([1])
    })
  })

  it('a transaction that may have arrived is not signed again while its outcome is unknown', async () => {
    await inSigner(async (open, node) => {
      node.fates = ['accepted, answer lost']
      node.unserved = ['user.tx_query']
      expect(await open().write(deploy('perhaps', 'k'))).toMatchObject({ problem: { code: 'connection_lost' } })
      // Its number is used up, by itself.
      expect(await open().write(deploy('perhaps', 'k'))).toMatchObject({ problem: { code: 'connection_lost' } })
      node.unserved = ['user.tx_query', 'user.broadcast']
      expect(await open().write(deploy('perhaps', 'k'))).toMatchObject({ problem: { code: 'no_backend' } })
      node.unserved = []
      expect(await open().write(deploy('perhaps', 'k'))).toMatchObject({ ok: true, isReplay: true })
      expect(node.nonces()).toEqual([1])
    })
  })

  it('waits for a block no longer when it looks for a transaction again than when it sends one', async () => {
    await inSigner(async (open, node) => {
      const request = (timeoutMs?: number) => ({
        ...deploy('waits', 'k'),
        params: { streamId: generateStreamId('waits'), ...(timeoutMs && { timeoutMs }) },
      })
      let now = Date.now()
      vi.spyOn(Date, 'now').mockImplementation(() => now)
      onTestFinished(() => void vi.restoreAllMocks())
      node.height = -1
      node.onQuery = () => {
        now += 25_000
      }
      for (const attempt of [1, 2]) {
        const outcome = await open().write(request(100_000))
        expect([attempt, outcome]).toMatchObject([
          attempt,
          { problem: { code: 'timeout', message: expect.stringContaining('in no block after 60000 ms') } },
        ])
      }
    })
  })

  it('forgets a refusal: the key may be used again', async () => {
    await inSigner(async (open, node) => {
      node.fates = ['pool full']
      expect((await open().write(deploy('full', 'k'))).ok).toBe(false)
      expect(await open().write(deploy('full', 'k'))).toMatchObject({ ok: true, isReplay: false })
    })
  })
})

describe('SignerObject, idempotency keys', () => {
  it('start one job when two requests with one come at once', async () => {
    await inSigner(async (open) => {
      const signer = open()
      const job = { ...newJob(1), idempotencyKey: 'twice' }
      const outcomes = await Promise.all([signer.startJob(job), signer.startJob(job)])
      expect(outcomes.map(({ isReplay }) => isReplay)).toEqual([false, true])
      expect(signer.jobs(everything, 10)).toHaveLength(1)
    })
  })

  it('are 20,000 at most, those of jobs among them; a new one is taken again once old ones are a day old', async () => {
    await inSigner(async (open, node, state) => {
      const signer = open()
      const job = { ...newJob(1), idempotencyKey: 'of a job' }
      state.storage.sql.exec(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
         INSERT INTO writes (key, fingerprint, at) SELECT 'key ' || i, '', ? FROM n`,
        Date.now(),
      )
      const refusal = { ok: false, problem: { code: 'too_many' } }
      expect(await signer.write(deploy('bounded', 'of a write'))).toMatchObject(refusal)
      expect(await signer.startJob(job)).toMatchObject(refusal)
      expect([signer.jobs(everything, 200), node.accepted]).toEqual([[], []])
      state.storage.sql.exec("UPDATE writes SET at = 0 WHERE key = 'key 1' OR key = 'key 2'")
      expect(await signer.startJob(job)).toMatchObject({ ok: true, isReplay: false })
      expect(await signer.startJob(job)).toMatchObject({ ok: true, isReplay: true })
      expect(await signer.write(deploy('bounded', 'of a write'))).toMatchObject({ ok: true })
    })
  })
})
