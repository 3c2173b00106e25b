/** Jobs of the gateway: started once for a key, followed, cancelled, failed, and seen by those who may write. */

import { beforeAll, describe, expect, it } from 'vitest'
import { generateStreamId } from '#streamnet/index.ts'
import { gatewayAddress, startGateway } from '../../support/gateway-bundle.ts'
import { host } from '../../support/host.ts'
import { eventually } from '../../support/wait.ts'

const filled = generateStreamId('gateway jobs')
const elsewhere = `write:${gatewayAddress}/${generateStreamId('another')}`
const strangers = [
  { name: 'other', token: 'token-of-another-stream-01', scopes: [elsewhere] },
  { name: 'reader', token: 'token-of-a-reader-012345', scopes: ['read'] },
]
const gateway = host(() => startGateway({ vars: { STREAMNET_TOKENS: JSON.stringify(strangers) } }))

beforeAll(() => gateway.run('deploy_stream', { stream_id: filled }))

describe('jobs', () => {
  const batches = (count: number) => [
    { stream_id: filled, inputs: Array.from({ length: count }, (_, index) => ({ date: index + 1, value: '1' })) },
  ]
  const ended = async (jobId: string) => {
    let job = { phase: 'queued' }
    const isOver = async () => {
      const { body } = await gateway.call(`/jobs/${jobId}`)
      job = body.result
      return !['queued', 'running'].includes(job.phase)
    }
    await eventually('the end of the job', isOver, () => job)
    return job
  }

  it('are started, followed to their end, and listed with their hashes', async () => {
    const { status, headers, body: started } = await gateway.call('/insert_all', { batches: batches(25) })
    const { job_id } = started.result
    expect([status, headers.get('location')]).toEqual([202, `/streamnet/v1/jobs/${job_id}`])
    expect(await ended(job_id)).toMatchObject({ phase: 'done', rows_done: 25, chunks_confirmed: 3, eta_sec: 0 })
    const { body } = await gateway.call(`/jobs/${job_id}/tx_hashes?limit=2&offset=1`)
    const hash = expect.stringMatching(/^[0-9a-f]{64}$/)
    expect(body.result).toEqual([hash, hash])
    expect((await gateway.call('/jobs')).body.result[0].job_id).toBe(job_id)
  })

  it('are one under the same key', async () => {
    const start = () =>
      gateway.call('/insert_all', { batches: batches(1) }, { headers: { 'idempotency-key': 'job-1' } })
    const [first, second] = [await start(), await start()]
    expect(second.body.result.job_id).toBe(first.body.result.job_id)
  })

  it('end when they are cancelled, once and for good', async () => {
    const { job_id } = await gateway.run('insert_all', { batches: batches(10_000) })
    const cancelled = await gateway.call(`/jobs/${job_id}`, undefined, { method: 'DELETE' })
    expect(cancelled).toMatchObject({ status: 200, body: { result: { phase: 'cancelled' } } })
    expect(cancelled.body.result.chunks_done).toBeLessThan(1000)
    expect((await gateway.call(`/jobs/${job_id}`, undefined, { method: 'DELETE' })).status).toBe(409)
    expect((await gateway.call(`/jobs/${job_id}/resume`, {})).status).toBe(409)
  })

  it('fail with a transaction that fails in its block, and say why', async () => {
    const { job_id } = await gateway.run('insert_all', {
      batches: [{ stream_id: generateStreamId('never made'), inputs: [{ date: 1, value: 1 }] }],
    })
    expect(await ended(job_id)).toMatchObject({
      phase: 'failed',
      problem: { code: 'bulk_insert_failed', message: expect.stringContaining('drain failed') },
    })
  })

  it('belong to those who may write to their streams', async () => {
    const { job_id } = await gateway.run('insert_all', { batches: batches(1) })
    for (const { token } of strangers) {
      expect((await gateway.call(`/jobs/${job_id}`, undefined, { token })).status).toBe(404)
      expect((await gateway.call('/jobs', undefined, { token })).body.result).toEqual([])
    }
    expect((await gateway.call('/jobs/none')).body.code).toBe('job_not_found')
  })
})
