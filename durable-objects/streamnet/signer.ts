/** SignerObject: the gateway's key, its nonces, the writes it has promised to make once, and its bulk jobs. */

import { DurableObject } from 'cloudflare:workers'
import { createMutex } from '#base/mutex.ts'
import { isCovered } from '#gateway/access.ts'
import type { JobStatus } from '#gateway/contract/jobs.ts'
import { GatewayError } from '#gateway/errors.ts'
import { boundWaitMs, runOperation } from '#gateway/handle.ts'
import { writeJson } from '#gateway/json.ts'
import { type Outcome, toProblem } from '#gateway/outcome.ts'
import type { Scope } from '#gateway/tokens.ts'
import { type Client, createNonceSource, type Signer } from '#streamnet/index.ts'
import { createSyncSigner } from '#streamnet/signing/sync-signer.ts'
import { waitForSuccess } from '#streamnet/transaction/wait.ts'
import type { StreamnetEnv } from './env.ts'
import { addJob, type JobRequest } from './signer/add-job.ts'
import { computeFingerprint, findReplay, refuseKey, type WriteOutcome } from './signer/idempotency.ts'
import { createJobRunner, describeJob, findNextChunk, isOpen, type JobRunner } from './signer/jobs.ts'
import { classifyOutcome, finishSending, type Notes, notingClient, toOutcome } from './signer/write.ts'
import type { KeyedWrite } from './storage/keyed-writes.ts'
import { openSignerTables } from './storage/signer.ts'
import { createUpstreamClient } from './upstream.ts'

/** A write: an operation with its parameters, checked and in the client's names. */
interface WriteRequest {
  readonly operation: string
  readonly params: Readonly<Record<string, unknown>>
  /** The owner of the key and the key itself; absent when the caller sent none. */
  readonly idempotencyKey?: string | undefined
}

/** A job for its gateway, which shows it to callers who may write to its streams. */
export interface JobView {
  readonly status: JobStatus
  readonly areas: readonly string[]
}

/** The milliseconds that one alarm works before it lets the platform start another. */
const workMs = 20_000
/** The milliseconds that jobs wait for a key that is missing. */
const keylessMs = 60_000

/**
 * Signs for one key, named by its address.
 *
 * Everything that takes a nonce holds one mutex, so a key's transactions leave in one order. A write with an
 * idempotency key notes what it has signed before it is sent, and a job keeps every step: killed at any point,
 * neither is done twice.
 */
export class SignerObject extends DurableObject<StreamnetEnv> {
  readonly #tables = openSignerTables(this.ctx.storage)
  readonly #mutex = createMutex()
  readonly #nonces = createNonceSource(this.#mutex)
  readonly #running = new Map<string, Promise<WriteOutcome>>()
  /** True when a write has taken a nonce since the last step of a job, which numbers its transactions itself. */
  #hasWritten = true
  #opened: Client | undefined
  #runner: JobRunner | undefined

  constructor(ctx: DurableObjectState, env: StreamnetEnv) {
    super(ctx, env)
    void ctx.blockConcurrencyWhile(async () => {
      if (this.#tables.currentJob() && (await ctx.storage.getAlarm()) === null) await ctx.storage.setAlarm(Date.now())
    })
  }

  /** Makes a write; the answer tells whether it was made before. */
  async write(request: WriteRequest): Promise<WriteOutcome> {
    const { idempotencyKey: key } = request
    if (key === undefined) {
      return { ...(await toOutcome(() => this.#run(request, {}))), isReplay: false }
    }
    const fingerprint = await computeFingerprint(request.operation, request.params)
    // From here to the note of the key nothing is awaited: two requests with one key cannot both start.
    const running = this.#running.get(key)
    const known = this.#tables.findWrite(key)
    const replay = findReplay(known, fingerprint)
    if (replay !== undefined) return replay
    if (running !== undefined) return { ...(await running), isReplay: true }
    if (known === undefined) {
      const refusal = refuseKey(this.#tables, Date.now())
      if (refusal !== undefined) return refusal
      this.#tables.addWrite(key, fingerprint, Date.now())
    }
    const run = this.#writeOnce(key, request, known)
    this.#running.set(key, run)
    return run.finally(() => this.#running.delete(key))
  }

  /** Starts a bulk insertion; its records are checked before anything is kept. */
  async startJob(request: JobRequest): Promise<WriteOutcome> {
    const { idempotencyKey: key, batches, options } = request
    const fingerprint = key === undefined ? '' : await computeFingerprint('insert_all', { batches, options })
    const known = key === undefined ? undefined : this.#tables.findWrite(key)
    const refusal =
      findReplay(known, fingerprint) ?? (key === undefined ? undefined : refuseKey(this.#tables, Date.now()))
    if (refusal !== undefined) return refusal
    const outcome = await toOutcome(async () => this.#keepJob(request, fingerprint))
    if (outcome.ok) await this.ctx.storage.setAlarm(Date.now())
    return { ...outcome, isReplay: false }
  }

  /** Keeps a job and its key together: of two requests with one key at once the second finds the first. */
  #keepJob(request: JobRequest, fingerprint: string): JobStatus | undefined {
    const { idempotencyKey: key } = request
    return this.ctx.storage.transactionSync(() => {
      const status = this.job(addJob(this.ctx.storage, this.#tables, request))?.status
      if (key !== undefined) {
        this.#tables.addWrite(key, fingerprint, Date.now())
        this.#tables.endWrite(key, { ok: true, result: writeJson(status) })
      }
      return status
    })
  }

  /** A job, or null when its id is unknown. */
  job(id: string): JobView | null {
    const job = this.#tables.findJob(id)
    return job === undefined ? null : { status: describeJob(job, Date.now()), areas: job.areas }
  }

  /** The newest jobs of those whose streams the scopes cover. */
  jobs(scopes: readonly Scope[], limit: number): readonly JobStatus[] {
    const listed: JobStatus[] = []
    for (const job of this.#tables.listJobs()) {
      if (listed.length === limit) break
      if (isCovered({ scopes }, 'write', job.areas)) listed.push(describeJob(job, Date.now()))
    }
    return listed
  }

  /** The hashes of a job's transactions in the order of its chunks. */
  jobHashes(id: string, offset: number, limit: number): readonly string[] {
    const job = this.#tables.findJob(id)
    return job === undefined ? [] : this.#tables.hashes(job.number, offset, limit)
  }

  /** Ends a job before its end; what is broadcast stays. */
  async cancelJob(id: string): Promise<Outcome> {
    return toOutcome(async () => {
      const job = this.#requireJob(id)
      if (!isOpen(job)) throw new GatewayError('job_ended', `Cannot cancel job: it is ${job.phase}`)
      this.#tables.endJob(job, 'cancelled', Date.now())
      // The alarm may be set for the next attempt of this job, and those behind it need not wait for that.
      await this.ctx.storage.setAlarm(Date.now())
      return this.job(id)?.status
    })
  }

  /** Takes a failed job up again where it stopped: at the chunk whose transaction failed in its block, if one did. */
  async resumeJob(id: string): Promise<Outcome> {
    return toOutcome(async () => {
      const job = this.#requireJob(id)
      if (job.phase !== 'failed')
        throw new GatewayError('job_ended', `Cannot resume job: it is ${job.phase}, expected failed`)
      this.#tables.reopenJob(job, findNextChunk(job))
      await this.ctx.storage.setAlarm(Date.now())
      return this.job(id)?.status
    })
  }

  /** Goes on with the jobs; without its key the object waits for a deployment that gives it back. */
  override async alarm(): Promise<void> {
    const next = await this.#openRunner()?.work(Date.now() + workMs)
    if (next !== null) await this.ctx.storage.setAlarm(next ?? Date.now() + keylessMs)
  }

  #openRunner(): JobRunner | undefined {
    try {
      this.#runner ??= createJobRunner(this.#tables, this.#client(), (step) =>
        this.#mutex.run(() => {
          const isShared = this.#hasWritten
          this.#hasWritten = false
          // The number that the writes remember is stale after this step.
          this.#nonces.forget()
          return step(isShared)
        }),
      )
      return this.#runner
    } catch (error) {
      console.error(`Cannot go on with the jobs: ${toProblem(error).message}`)
      return undefined
    }
  }

  #client(): Client {
    this.#opened ??= createUpstreamClient(this.env, { signer: this.#openSigner(), nonces: this.#nonces })
    return this.#opened
  }

  /** Opens the signer; any key but the first is refused, because a new key has a separate object. */
  #openSigner(): Signer {
    const signer = createSyncSigner(this.env.STREAMNET_PRIVATE_KEY ?? '')
    const known = this.ctx.storage.kv.get('address') ?? signer.address
    if (known !== signer.address) {
      throw new GatewayError('key_missing', `Cannot write: STREAMNET_PRIVATE_KEY is no longer the key of ${known}`)
    }
    this.ctx.storage.kv.put('address', known)
    return signer
  }

  async #run({ operation, params }: WriteRequest, notes: Notes) {
    const onNumbered = () => {
      this.#hasWritten = true
    }
    return runOperation(notingClient(this.#client(), { ...notes, onNumbered }), operation, params)
  }

  async #writeOnce(key: string, request: WriteRequest, known: KeyedWrite | undefined): Promise<WriteOutcome> {
    let mayLand = known?.sending != null
    const notes: Notes = {
      onSigned: (sending) => this.#tables.noteSending(key, sending),
      onAccepted: () => {
        mayLand = true
      },
    }
    const outcome = await toOutcome(async () => {
      const hash = known?.sending ? await finishSending(this.#client(), known.sending) : null
      mayLand = hash !== null
      if (hash === null) return this.#run(request, notes)
      const { wait = true, timeoutMs } = request.params
      if (wait !== false) {
        await waitForSuccess(this.#client(), hash, { timeoutMs: boundWaitMs(timeoutMs) })
      }
      return hash
    })
    const finality = classifyOutcome(outcome, mayLand)
    if (finality === 'final') this.#tables.endWrite(key, outcome)
    if (finality === 'nothing') this.#tables.removeWrite(key)
    return { ...outcome, isReplay: known?.sending != null }
  }

  #requireJob(id: string) {
    const job = this.#tables.findJob(id)
    if (job !== undefined) return job
    throw new GatewayError('job_not_found', 'Cannot find job: unknown id')
  }
}
