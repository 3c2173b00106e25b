/** Publishes readings of a simulation by operations of a stream gateway: streams first, then records, then attestations. */

import {
  healthWeights,
  type TelemetryReading,
  type TelemetryReadings,
  telemetryName,
  telemetryReadings,
} from '../../src/operations/telemetry.ts'

/**
 * Runs a write operation of a gateway.
 *
 * @throws Error with the gateway's problem.
 */
export type Operate = (operation: string, params: object) => Promise<unknown>

/** The streams of a simulation, by reading. */
export interface TelemetryStreams {
  readonly readings: Readonly<Record<TelemetryReading, string>>
  readonly health: string
}

/** The ids of the streams of a simulation: `st` and 30 hex digits of the hash of their name, as clients make them. */
export async function telemetryStreams(simulation: string): Promise<TelemetryStreams> {
  const idOf = async (reading: TelemetryReading | 'health') => {
    const bytes = new TextEncoder().encode(telemetryName(simulation, reading))
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
    const hex = [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('')
    return `st${hex.slice(0, 30)}`
  }
  const [frequency, load, losses, alarms, health] = await Promise.all(
    [...telemetryReadings, 'health' as const].map(idOf),
  )
  if (!frequency || !load || !losses || !alarms || !health)
    throw new Error('Cannot name streams: a name is missing')
  return { readings: { frequency, load, losses, alarms }, health }
}

/** Deploys the streams and composes "grid health"; streams that exist stay as they are. */
export async function deployTelemetry(operate: Operate, streams: TelemetryStreams): Promise<void> {
  const ids = telemetryReadings.map((reading) => streams.readings[reading])
  for (const stream_id of ids)
    await unlessExisting(operate('deploy_stream', { stream_id, stream_type: 'primitive' }))
  const composed = { stream_id: streams.health, stream_type: 'composed' }
  if (!(await unlessExisting(operate('deploy_stream', composed)))) return
  const weights = telemetryReadings.map((reading) => [streams.readings[reading], healthWeights[reading]])
  await operate('set_taxonomy', { stream_id: streams.health, child_streams: Object.fromEntries(weights) })
}

/** Writes one record to each stream. */
export async function publishReadings(
  operate: Operate,
  streams: TelemetryStreams,
  readings: TelemetryReadings,
  /** Unix seconds. */
  date: number,
): Promise<void> {
  const batches = telemetryReadings.map((reading) => ({
    stream_id: streams.readings[reading],
    inputs: [{ date, value: String(readings[reading]) }],
  }))
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
