/** A subject of event streams: what its listeners are sent first, and after each look at the chain. */

import { formatComment, formatEvent, formatRetry } from '#base/event-stream.ts'
import { encodeUtf8 } from '#base/utf8.ts'
import type { Problem } from '#gateway/outcome.ts'
import type { Client } from '#streamnet/index.ts'
import type { EventListener } from '../../base/event-listener.ts'

/** A stream, the chain or a market, with its listeners and what each was sent. */
export interface Subject {
  /** Reads what a new listener is sent first and calls `enter` with it, in one turn: no change comes between both. */
  open(client: Client, query: URLSearchParams, enter: Enter): Promise<EventListener>
  /** Looks again and offers what is new; true when there was something. */
  look(client: Client): Promise<boolean>
  /** Forgets a listener that has gone. */
  leave(listener: EventListener): void
}

/** Makes a listener that is sent this first. */
type Enter = (opening: readonly Uint8Array[]) => EventListener

/** A comment that says what follows, and the milliseconds after which a listener comes back. */
export function encodeGreeting(about: string): Uint8Array {
  return encodeUtf8(formatComment(about) + formatRetry(3000))
}

/** An event as octets; its data is JSON. */
export function encodeEvent(event: string, id: string, data: object): Uint8Array {
  return encodeUtf8(formatEvent({ event, data: JSON.stringify(data), id }))
}

/** Ends a listener's stream with the reason. */
export function endWith(listener: EventListener, problem: Problem): void {
  listener.offer(encodeUtf8(formatEvent({ event: 'problem', data: JSON.stringify(problem) })))
  listener.close('the stream cannot be read')
}

/** Asks the node for the height of its chain. */
export async function readHeight(client: Client): Promise<number> {
  return (await client.request('user.chain_info', {})).block_height
}
