/** Jobs of a signer: they go on after an eviction, wait, end, and are listed to those who may see them. */

import { describe, expect, it, vi } from 'vitest'
import { createSigner } from '#streamnet/index.ts'
import { deploy, everything, type Fate, inSigner, newJob, resultOf, signingKey, streamId } from './fake-node.ts'

const { address } = createSigner(signingKey)
const jobIdOf = (outcome: { readonly ok: boolean }): string => resultOf(outcome).job_id

describe('SignerObject jobs', () => {
  it('check every row before they begin', async () => {
    await inSigner(async (open) => {
      const bad = [{ streamId: 'st1', inputs: [{ date: 1, value: '1' }] }]
      expect(await open().startJob({ ...newJob(1), batches: bad })).toMatchObject({
        problem: { code: 'invalid_argument' },
      })
      expect(await open().startJob({ ...newJob(1), options: { batchSize: 11 } })).toMatchObject({ ok: false })
      const message = 'Cannot start job: batches have 25001 records, expected at most 25000'
      expect(await open().startJob(newJob(25_001))).toMatchObject({ problem: { code: 'invalid_params', message } })
      expect(open().jobs(everything, 10)).toEqual([])
    })
  })

  it('keep every digit of a date', async () => {
    await inSigner(async (open, node) => {
      const big = [{ streamId, inputs: [{ date: 2n ** 53n - 1n, value: '1' }] }]
      await open().startJob({ ...newJob(1), batches: big })
      await open().alarm()
      expect(node.accepted).toHaveLength(1)
    })
  })

  it('go on where they were after an eviction in the middle of a broadcast', async () => {
    await inSigner(async (open, node) => {
      const id = jobIdOf(await open().startJob(newJob(95)))
      node.fates = [...Array<Fate>(4).fill('accepted'), 'never answered']
      // The evicted object does not come back when its request is overdue.
      const deadlines = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(new AbortController().signal)
      void open().alarm()
      await expect.poll(() => node.fates.length).toBe(0)
      deadlines.mockRestore()
      expect(open().job(id)?.status).toMatchObject({ phase: 'running', chunks_done: 4 })
      await open().alarm()
      expect(open().job(id)?.status).toMatchObject({
        phase: 'done',
        rows_done: 95,
        chunks_confirmed: 10,
        problem: null,
      })
      expect(node.nonces()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
      expect(new Set(open().jobHashes(id, 0, 100)).size).toBe(10)
    })
  })

  it('share their key with writes: no nonce is used twice, none is left out', async () => {
    await inSigner(async (open, node) => {
      const signer = open()
      await signer.startJob(newJob(200))
      const working = signer.alarm()
      const outcomes = await Promise.all(
        Array.from({ length: 10 }, (_, index) => signer.write(deploy(`between ${index}`))),
      )
      await working
      expect(outcomes.every(({ ok }) => ok)).toBe(true)
      expect(node.nonces()).toEqual(Array.from({ length: 30 }, (_, index) => index + 1))
    })
  })

  it('wait for a pool that is full, and say until when', async () => {
    await inSigner(async (open, node, state) => {
      const id = jobIdOf(await open().startJob(newJob(10)))
      node.fates = ['pool full']
      await open().alarm()
      const waiting = open().job(id)?.status
      expect(waiting).toMatchObject({ phase: 'running', chunks_done: 0, retry_at: expect.any(Number) })
      expect(await state.storage.getAlarm()).toBe(waiting?.retry_at)
    })
  })

  it('outlast a node that does not answer', async () => {
    await inSigner(async (open, node) => {
      const id = jobIdOf(await open().startJob(newJob(10)))
      node.isSilent = true
      await open().alarm()
      expect(open().job(id)?.status).toMatchObject({ phase: 'queued', retry_at: expect.any(Number) })
    })
  })

  it('fail when the attempts are spent, and go on when they are resumed', async () => {
    await inSigner(async (open, node) => {
      node.fates = ['pool full']
      const id = jobIdOf(await open().startJob({ ...newJob(10), options: { maxAttempts: 1 } }))
      await open().alarm()
      expect(open().job(id)?.status).toMatchObject({
        phase: 'failed',
        failed_chunk_index: 0,
        problem: { code: 'bulk_insert_failed', message: expect.stringContaining('mempool is full') },
      })
      expect((await open().resumeJob(id)).ok).toBe(true)
      await open().alarm()
      expect(open().job(id)?.status.phase).toBe('done')
    })
  })

  it('send again from the chunk whose transaction failed in its block, when they are resumed', async () => {
    await inSigner(async (open, node) => {
      node.codes = new Map([[2, 1]])
      const id = jobIdOf(await open().startJob(newJob(40)))
      await open().alarm()
      const problem = { message: expect.stringContaining('transaction failed') }
      expect(open().job(id)?.status).toMatchObject({ phase: 'failed', chunks_confirmed: 0, problem })
      expect(open().jobHashes(id, 0, 10)).toHaveLength(4)
      expect((await open().resumeJob(id)).ok).toBe(true)
      await open().alarm()
      expect(open().job(id)?.status).toMatchObject({ phase: 'done', chunks_done: 4, chunks_confirmed: 4 })
      expect(node.nonces()).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
      expect(new Set(open().jobHashes(id, 0, 10)).size).toBe(4)
    })
  })

  it('are not resumed when they are done, nor cancelled when there are none', async () => {
    await inSigner(async (open) => {
      const id = jobIdOf(await open().startJob(newJob(10)))
      await open().alarm()
      expect(await open().resumeJob(id)).toMatchObject({ problem: { code: 'job_ended' } })
      expect(await open().cancelJob('none')).toMatchObject({ problem: { code: 'job_not_found' } })
    })
  })

  it('stop when they are cancelled; what is broadcast stays', async () => {
    await inSigner(async (open, node) => {
      const signer = open()
      const id = jobIdOf(await signer.startJob(newJob(500)))
      node.onBroadcast = async () => {
        if (node.accepted.length === 5) await signer.cancelJob(id)
      }
      await signer.alarm()
      expect(signer.job(id)?.status.phase).toBe('cancelled')
      expect(node.accepted.length).toBeLessThanOrEqual(7)
    })
  })

  it('do not wait for the next attempt of one that is cancelled', async () => {
    await inSigner(async (open, node, state) => {
      const first = jobIdOf(await open().startJob(newJob(10)))
      const second = jobIdOf(await open().startJob(newJob(10)))
      node.fates = ['pool full']
      await open().alarm()
      expect(open().job(first)?.status.retry_at).not.toBeNull()
      // As after many attempts, between which the waits grow to hours.
      await state.storage.setAlarm(Date.now() + 7_200_000)
      await open().cancelJob(first)
      // None is set while one runs.
      expect((await state.storage.getAlarm()) ?? 0).toBeLessThan(Date.now() + 3_600_000)
      await open().alarm()
      expect(open().job(second)?.status.phase).toBe('done')
    })
  })

  it('refuse more than may wait', async () => {
    await inSigner(async (open) => {
      const signer = open()
      for (let index = 0; index < 100; index++) await signer.startJob(newJob(1))
      expect(await signer.startJob(newJob(1))).toMatchObject({ problem: { code: 'too_many' } })
      expect(signer.jobs(everything, 200)).toHaveLength(100)
    })
  })

  it('are listed to whose scopes cover their streams, however many others are newer', async () => {
    await inSigner(async (open) => {
      const signer = open()
      const mine = jobIdOf(await signer.startJob({ ...newJob(1), areas: [`${address}/${streamId}`] }))
      for (let index = 0; index < 60; index++) await signer.startJob({ ...newJob(1), areas: ['0xother'] })
      const listed = signer.jobs([{ verb: 'write', area: address }], 50)
      expect(listed).toMatchObject([{ job_id: mine }])
      expect(signer.jobs([{ verb: 'read', area: '*' }], 50)).toEqual([])
      expect(signer.jobs(everything, 50)).toHaveLength(50)
    })
  })

  it('set an alarm when they are started, and when their object is opened without one', async () => {
    await inSigner(async (open, _, { storage }) => {
      await open().startJob(newJob(1))
      expect(await storage.getAlarm()).not.toBeNull()
      await storage.deleteAlarm()
      // As after a crash in the middle of an alarm.
      open()
      await expect.poll(() => storage.getAlarm()).not.toBeNull()
      await storage.deleteAlarm()
    })
  })
})
