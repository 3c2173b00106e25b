/** The end of a message's path: its receiver reads it, or reports why it cannot. */

import { reportMalformed } from '../control-centre/link-monitor.ts'
import { protocols } from '../protocols/catalogue.ts'
import { isRequest, type Message } from '../telecontrol/message.ts'
import type { StepContext } from './step-context.ts'
import type { Outcome } from './world.ts'

/** Takes in a message as it arrived; replies go out with `send`. */
export type Receiver = (context: StepContext, message: Message, payload: Uint8Array) => void

/**
 * Hands octets to their receiver; octets that attackers made unreadable are reported and go no further.
 *
 * @param outcome - the work of the attackers on the message.
 */
export function handOver(
  context: StepContext,
  message: Message,
  payload: Uint8Array,
  outcome: Outcome,
  receive: Receiver,
): void {
  if (outcome !== 'invalid') {
    receive(context, message, payload)
    return
  }
  const { protocol, carrier, link } = message
  const decoded = protocols[protocol].decode(payload, isRequest(carrier), context.configurationOf(link))
  if (!decoded.ok) reportMalformed(context, message, decoded.fault)
}
