/** Everything dies while a bulk insertion runs and single writes go on: each acknowledged record is there, and once. */

import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '#test/support/wait.ts'
import { createTally, gatherViolations, grouped, type Soak, scaled } from './outcome.ts'
import { prepareService, type Service } from './service.ts'

const streams = ['a', 'b'].map((letter) => `st${letter.repeat(30)}`)
/** Days of single writes begin here, beyond those of the job. */
const firstSingle = 1_000_000

/** An answer of the gateway: its status, and the body as JSON. */
interface Reply {
  readonly status: number
  readonly body: { readonly result?: unknown }
}

export const run: Soak = async (scale) => {
  const kills = scaled(50, scale)
  // A kill comes about once a second; the job has to outlive all of them.
  const records = kills * 400
  const [violations, answers] = [gatherViolations(), createTally()]
  const service = await prepareService()
  await service.start()
  const ask = gateway(service)
  for (const stream_id of streams) await ask('deploy_stream', { stream_id, stream_type: 'primitive' })
  const half = records / 2
  const batches = streams.map((stream_id, at) => ({
    stream_id,
    inputs: Array.from({ length: half }, (_, day) => ({ date: 1_000 + day, value: `${at + 1}.${day + 1}` })),
  }))
  const begun = await ask('insert_all', { batches, max_inflight: 10 }, 'the-job')
  const { job_id: id } = begun.body.result as { job_id: string }
  let isWriting = true
  const acknowledged: number[] = []
  const writer = (async () => {
    for (let number = 0; isWriting; number++) {
      if (await writeSingle(ask, number, () => isWriting)) acknowledged.push(number)
    }
  })()
  let survived = 0
  for (let kill = 0; kill < kills; kill++) {
    await sleep(500 + (kill % 5) * 150)
    const { phase } = await job(ask, id)
    answers.add(`killed while ${phase}`)
    if (phase !== 'done') survived += 1
    await service.kill()
    await service.start()
  }
  let end = await job(ask, id)
  const isOver = async () => {
    end = await job(ask, id)
    return ['done', 'failed', 'cancelled'].includes(end.phase)
  }
  await eventually('the end of the job', isOver, () => end, 1_800_000)
  isWriting = false
  await writer
  if (end.phase !== 'done') violations.add(`the job ended ${end.phase}`)
  for (const [at, stream_id] of streams.entries()) {
    const found = await recordsOf(ask, stream_id, 1_000, 999 + half)
    if (found.length !== half) violations.add(`stream ${at + 1} has ${found.length} of ${half} records`)
    const wrong = found.filter(({ date, value }) => Number(value) !== Number(`${at + 1}.${date - 999}`))
    for (const { date, value } of wrong) violations.add(`day ${date} of stream ${at + 1} is ${value}`)
  }
  const singles = new Set(
    (await recordsOf(ask, streams[0] ?? '', firstSingle, firstSingle * 2)).map(({ date }) => date - firstSingle),
  )
  for (const number of acknowledged) {
    if (!singles.has(number)) violations.add(`write ${number} was acknowledged and is gone`)
  }
  for (const payload of await repeatedInserts(service)) violations.add(`a payload was inserted twice: ${payload}`)
  await service.stop()
  return {
    done: `${kills} kills, ${survived} of them in the middle of the job`,
    facts: [
      `${grouped(records)} records of the job and ${grouped(acknowledged.length)} single writes, each there once`,
      answers.text(),
    ],
    violations: violations.list(),
  }
}

type Ask = (operation: string, params?: unknown, idempotencyKey?: string) => Promise<Reply>

/** Calls the gateway; a call that the kill has cut is sent again with the same idempotency key. */
function gateway(service: Service): Ask {
  return async (operation, params, idempotencyKey = `${operation}-${Math.random()}`) => {
    const deadline = Date.now() + 600_000
    while (Date.now() < deadline) {
      try {
        const response = await fetch(`${service.url}/streamnet/v1/${operation}`, {
          headers: {
            authorization: `Bearer ${service.tokens().STREAMNET_TOKEN}`,
            ...(params !== undefined && { 'content-type': 'application/json', 'idempotency-key': idempotencyKey }),
          },
          ...(params !== undefined && { method: 'POST', body: JSON.stringify(params) }),
          signal: AbortSignal.timeout(60_000),
        })
        const body = (await response.json()) as Reply['body']
        if (response.status < 500) return { status: response.status, body }
      } catch {
        // Killed in the middle of the call.
      }
      await sleep(50)
    }
    throw new Error(`${operation} was not answered within ten minutes`)
  }
}

async function writeSingle(ask: Ask, number: number, isWriting: () => boolean): Promise<boolean> {
  const record = { date: firstSingle + number, value: `${number + 1}` }
  const { status } = await ask('insert_records', { stream_id: streams[0], records: [record] }, `single-${number}`)
  await sleep(isWriting() ? 50 : 0)
  return status === 200
}

async function job(ask: Ask, id: string): Promise<{ readonly phase: string }> {
  const { body } = await ask(`jobs/${id}`)
  return body.result as { phase: string }
}

async function recordsOf(ask: Ask, streamId: string, from: number, to: number) {
  const { body } = await ask(`get_records?stream_id=${streamId}&date_from=${from}&date_to=${to}`)
  return body.result as readonly { readonly date: number; readonly value: string }[]
}

/** The payloads of insertions that more than one successful transaction of the chain carries. */
async function repeatedInserts({ ports }: Service): Promise<readonly string[]> {
  const rpc = async <T>(method: string, params: unknown): Promise<T> => {
    const response = await fetch(`http://127.0.0.1:${ports.node}/rpc/v1`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    return ((await response.json()) as { result: T }).result
  }
  const { block_height: height } = await rpc<{ block_height: number }>('user.chain_info', {})
  const [seen, repeated] = [new Set<string>(), new Set<string>()]
  for (let number = 1; number <= height; number++) {
    const [{ block }, { tx_results: results }] = await Promise.all([
      rpc<{ block: { txns: readonly { body: { payload: string } }[] } }>('chain.block', { height: number }),
      rpc<{ tx_results: readonly { code: number }[] }>('chain.block_result', { height: number }),
    ])
    for (const [at, { body }] of (block.txns ?? []).entries()) {
      const isInsert = Buffer.from(body.payload, 'base64').includes('insert_records')
      if (results?.[at]?.code !== 0 || !isInsert) continue
      if (seen.has(body.payload)) repeated.add(body.payload.slice(0, 60))
      seen.add(body.payload)
    }
  }
  return [...repeated]
}
