/**
 * What the platform charges on its paid plan beyond what the plan includes, in US dollars.
 *
 * @see https://developers.cloudflare.com/workers/platform/pricing/
 * @see https://developers.cloudflare.com/durable-objects/platform/pricing/
 */

/** The month in which these numbers were written down. The platform's pages decide: compare before you plan by them. */
export const pricesWrittenIn = 'November 2026'

/** A million requests to a Worker. */
export const workerRequestsPerMillion = 0.3
/** A million milliseconds of processor time of a Worker. */
export const workerCpuPerMillionMs = 0.02
/** A million requests to Durable Objects: calls of a method, and alarms. */
export const objectRequestsPerMillion = 0.15
/** A million gigabyte-seconds in which Durable Objects work; each counts with 128 MB. */
export const objectDurationPerMillion = 12.5
/** A million rows read by SQL, or keys read. */
export const rowsReadPerMillion = 0.001
/** A million rows written by SQL, or keys and alarms set. */
export const rowsWrittenPerMillion = 1

/** The memory that the platform counts for a working object, in gigabytes. */
export const objectGigabytes = 0.128

/** What a number of units used. */
export interface Usage {
  readonly workerRequests: number
  /** Milliseconds of processor time; NaN where it could not be read. */
  readonly cpuMs: number
  readonly objectRequests: number
  /** Milliseconds in which objects worked. */
  readonly objectMs: number
  readonly rowsRead: number
  readonly rowsWritten: number
}

/** What it costs, in US dollars. */
export function costOf(usage: Usage): number {
  const gigabyteSeconds = (usage.objectMs / 1000) * objectGigabytes
  const millions =
    usage.workerRequests * workerRequestsPerMillion +
    (Number.isNaN(usage.cpuMs) ? 0 : usage.cpuMs * workerCpuPerMillionMs) +
    usage.objectRequests * objectRequestsPerMillion +
    gigabyteSeconds * objectDurationPerMillion +
    usage.rowsRead * rowsReadPerMillion +
    usage.rowsWritten * rowsWrittenPerMillion
  return millions / 1e6
}
