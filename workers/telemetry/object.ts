/** TelemetryPublisher: follows one simulation, and publishes its readings every few seconds while it runs. */

import { DurableObject } from 'cloudflare:workers'
import { createLineBudget } from '#base/line-budget.ts'
import { readTelemetry, type TelemetrySample } from '#edge/telemetry.ts'
import { loggerOfEnvironment } from '#objects/base/log.ts'
import { operationsOf } from '../edge/operations-isolate.ts'
import {
  attestSession,
  deployScore,
  deployTelemetry,
  type Operate,
  publishRecords,
  telemetryStreams,
} from './publisher.ts'

/** Interfaces of the deployment that a publisher uses. */
export interface TelemetrySource {
  /** The readings of a simulation as JSON text; asking does not keep it awake. */
  readonly readings: (simulation: string) => Promise<string>
  readonly operate: Operate
  /** The address that owns the streams; undefined when the gateway has no key. */
  readonly provider: string | undefined
}

/** Stored state of the session that is published. */
interface Published {
  readonly sessionId: string
  /** Unix seconds of its first and its last record. */
  readonly from: number
  readonly to: number
}

const publishedKey = 'published'
const deployedKey = 'deployed'
/** The stream of the score came later than the others. */
const scoreDeployedKey = 'scoreDeployed'
const failures = createLineBudget(1, 60_000)

/**
 * One publisher for each simulation, of the same name. It has an alarm while its simulation runs; a simulation that
 * has stopped is followed again once `follow()` is called.
 */
export abstract class TelemetryPublisher<Env extends object> extends DurableObject<Env> {
  /** The surfaces, which the Worker that holds them wires together. */
  protected abstract source(): TelemetrySource

  /** Begins to publish, unless it does already. */
  async follow(): Promise<void> {
    if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(Date.now())
  }

  override async alarm(): Promise<void> {
    const { telemetrySeconds } = operationsOf(this.env)
    if (telemetrySeconds === 0) return
    try {
      const sample = readTelemetry(await this.source().readings(this.#simulation()))
      await this.#endSession(sample)
      if (sample === null) return
      await this.#publish(sample)
    } catch (error) {
      // A gateway that is away costs records; the next one is tried at its own time.
      if (failures.take(Date.now()) !== null) {
        loggerOfEnvironment(this.env).warning('Cannot publish telemetry', { error: messageOf(error) })
      }
    }
    await this.ctx.storage.setAlarm(Date.now() + telemetrySeconds * 1000)
  }

  #simulation(): string {
    return this.ctx.id.name ?? 'default'
  }

  async #publish({ sessionId, readings, score }: TelemetrySample): Promise<void> {
    const { operate } = this.source()
    const streams = await telemetryStreams(this.#simulation())
    if ((await this.ctx.storage.get(deployedKey)) === undefined) {
      await deployTelemetry(operate, streams)
      await this.ctx.storage.put(deployedKey, true)
    }
    if (score !== null && (await this.ctx.storage.get(scoreDeployedKey)) === undefined) {
      await deployScore(operate, streams)
      await this.ctx.storage.put(scoreDeployedKey, true)
    }
    const date = Math.floor(Date.now() / 1000)
    await publishRecords(operate, streams, { ...readings, score }, date)
    const before = await this.ctx.storage.get<Published>(publishedKey)
    await this.ctx.storage.put<Published>(publishedKey, { sessionId, from: before?.from ?? date, to: date })
  }

  /** Attests the history of a session that is over, because its simulation stopped or began another one. */
  async #endSession(sample: TelemetrySample | null): Promise<void> {
    const published = await this.ctx.storage.get<Published>(publishedKey)
    if (published === undefined || published.sessionId === sample?.sessionId) return
    // Forgotten first: an attestation costs a fee, so one that failed is not asked for again and again.
    await this.ctx.storage.delete(publishedKey)
    const { operate, provider } = this.source()
    if (provider === undefined) return
    const streams = await telemetryStreams(this.#simulation())
    try {
      await attestSession(operate, streams, provider, [published.from, published.to])
    } catch (error) {
      loggerOfEnvironment(this.env).warning('Cannot attest a session', { error: messageOf(error) })
    }
  }
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 300)
}
