/** Publishes readings of a simulation by operations of a stream gateway: streams first, then records, then attestations. */

import {
  healthWeights,
  type TelemetryRecord,
  telemetryName,
  telemetryReadings,
  telemetryRecords,
} from '#edge/telemetry.ts'

/**
 * Runs a write operation of a gateway.
 *
 * @throws Error with the gateway's problem.
 */
export type Operate = (operation: string, params: object) => Promise<unknown>

/** The streams of a simulation, by what they hold. */
export interface TelemetryStreams {
  readonly records: Readonly<Record<TelemetryRecord, string>>
  readonly health: string
}

/** The ids of the streams of a simulation: `st` and 30 hex digits of the hash of their name, as clients make them. */
export async function telemetryStreams(simulation: string): Promise<TelemetryStreams> {
  const idOf = async (stream: TelemetryRecord | 'health') => {
    const bytes = new TextEncoder().encode(telemetryName(simulation, stream))
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
    const hex = [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('')
    return `st${hex.slice(0, 30)}`
  }
  const pairs = await Promise.all(telemetryRecords.map(async (name) => [name, await idOf(name)] as const))
  // Every name of the list has a pair.
  const records = Object.fromEntries(pairs) as Record<TelemetryRecord, string>
  return { records, health: await idOf('health') }
}

/** Deploys the streams and composes "grid health"; streams that exist stay as they are. */
export async function deployTelemetry(operate: Operate, streams: TelemetryStreams): Promise<void> {
  const ids = telemetryReadings.map((reading) => streams.records[reading])
  for (const stream_id of ids) await unlessExisting(operate('deploy_stream', { stream_id, stream_type: 'primitive' }))
  const composed = { stream_id: streams.health, stream_type: 'composed' }
  if (!(await unlessExisting(operate('deploy_stream', composed)))) return
  const weights = telemetryReadings.map((reading) => [streams.records[reading], healthWeights[reading]])
  await operate('set_taxonomy', { stream_id: streams.health, child_streams: Object.fromEntries(weights) })
}

/** Deploys the stream of the detector's score, unless it exists. */
export async function deployScore(operate: Operate, { records }: TelemetryStreams): Promise<void> {
  await unlessExisting(operate('deploy_stream', { stream_id: records.score, stream_type: 'primitive' }))
}

/** Writes one record to each stream that has a value, in one transaction. */
export async function publishRecords(
  operate: Operate,
  streams: TelemetryStreams,
  values: Readonly<Record<TelemetryRecord, number | null>>,
  /** Unix seconds. */
  date: number,
): Promise<void> {
  const batches = telemetryRecords.flatMap((name) => {
    const value = values[name]
    return value === null ? [] : [{ stream_id: streams.records[name], inputs: [{ date, value: String(value) }] }]
  })
  await operate('batch_insert_records', { batches })
}

/** Asks the network to attest what "grid health" was from one second to another. @returns the hash of the transaction. */
export async function attestSession(
  operate: Operate,
  streams: TelemetryStreams,
  provider: string,
  [from, to]: readonly [from: number, to: number],
): Promise<unknown> {
  return operate('request_attestation', {
    data_provider: provider,
    stream_id: streams.health,
    action_name: 'get_record',
    args: [provider, streams.health, from, to, null, false],
  })
}

/** @returns false when what was to be made exists already. */
async function unlessExisting(made: Promise<unknown>): Promise<boolean> {
  try {
    await made
    return true
  } catch (error) {
    if (error instanceof Error && /exists/i.test(error.message)) return false
    throw error
  }
}
