/** Deadline of a caller, from its header. */

import { ProtoJsonError } from '../errors.ts'

const unitMs: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1000, m: 1, u: 1e-3, n: 1e-6 }

/** Reads a `grpc-timeout` (gRPC `PROTOCOL-HTTP2.md`) in milliseconds: null when absent, else malformed_timeout. */
export function parseTimeout(text: string | null): number | null {
  if (text === null) return null
  const match = /^(\d{1,8})([HMSmun])$/.exec(text)
  if (match === null) throw malformed('grpc-timeout', text, 'one to eight digits and one of H, M, S, m, u, n')
  return Number(match[1]) * (unitMs[match[2] ?? ''] ?? 0)
}

/** Reads a `connect-timeout-ms` (Connect protocol, "Unary request"): null when absent, else malformed_timeout. */
export function parseConnectTimeout(text: string | null): number | null {
  if (text === null) return null
  if (!/^\d{1,10}$/.test(text)) throw malformed('connect-timeout-ms', text, 'one to ten digits')
  return Number(text)
}

/** Writes a `grpc-timeout` that is never longer than what is left; below zero counts as zero. */
export function formatTimeout(ms: number): string {
  const whole = Math.max(0, Math.floor(ms))
  if (whole < 100_000_000) return `${whole}m`
  const seconds = Math.floor(whole / 1000)
  return seconds < 100_000_000 ? `${seconds}S` : `${Math.min(Math.floor(seconds / 3600), 99_999_999)}H`
}

function malformed(name: string, text: string, expected: string): ProtoJsonError {
  const shown = JSON.stringify(text.slice(0, 40))
  return new ProtoJsonError('malformed_timeout', `Cannot read ${name}: it is ${shown}, expected ${expected}`)
}
