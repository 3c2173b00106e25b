/** Names of streams: parameters, addresses of views, and short forms. */

import type { Stream } from '#gateway/contract/results.ts'

/** Parameters that name a stream. */
export function nameOf({ stream_id, data_provider }: Pick<Stream, 'stream_id' | 'data_provider'>) {
  return { stream_id, data_provider }
}

/** The address of a stream's view. */
export function hrefOf({ stream_id, data_provider }: Pick<Stream, 'stream_id' | 'data_provider'>): string {
  return `/console/streams/${data_provider}/${stream_id}`
}

/** An address, hash or stream id that fits a line. */
export function short(text: string): string {
  return text.length > 14 ? `${text.slice(0, 8)}…${text.slice(-4)}` : text
}
