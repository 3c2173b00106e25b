/** A step with an open connection, and the octets that its receiver got: for tests of the channel. */

import { encodeHex } from '#base/hex.ts'
import type { Interception } from '#grid/channel/attackers.ts'
import type { Channel } from '#grid/channel/deliver.ts'
import { recordSent } from '#grid/channel/segments.ts'
import { numberFrame, openTransmission } from '#grid/channel/transmission.ts'
import { openConnection } from '#grid/step/connections.ts'
import type { Connection, Outcome } from '#grid/step/world.ts'
import type { Message } from '#grid/telecontrol/message.ts'
import { contextOf, datagram, newConnection, onConnection } from './grid-context.ts'
import { enable, startWorld } from './grid-session.ts'
import { must } from './must.ts'

/** The interception of octets that no attack changed. */
export function interceptionOf(payload: Uint8Array, outcome: Outcome = 'clean'): Interception {
  return { payload, outcome, delayUs: 0, attack: null, description: undefined }
}

/** The octets of a message that was attacked, before and behind the attacker. */
export const sent = Uint8Array.of(1, 2, 3)
export const arrived = Uint8Array.of(4, 5)

/** A step with DROP enabled, and the transmission of a datagram that passed it. */
export function attackedTransmission(change: Partial<Interception> = {}, forged: Message['forged'] = null) {
  const world = startWorld()
  enable(world, 'DROP')
  const context = contextOf(world)
  const message = datagram(context, 10, sent, { forged })
  const interception: Interception = {
    payload: arrived,
    outcome: 'attacked',
    delayUs: 0,
    attack: must(world.attacks[0]),
    description: 'Changed',
    ...change,
  }
  return { context, transmission: openTransmission(context, message, interception, numberFrame(world, message)) }
}

/** Opens a connection in a step. `send` numbers and remembers a segment of one octet, and gives its sequence number. */
export function openChannel() {
  const received: string[] = []
  const channel: Channel = { ...contextOf(), receive: (_, __, payload) => void received.push(encodeHex(payload)) }
  const connection = newConnection()
  openConnection(channel, connection, channel.startUs)
  const send = (afterUs: number, octet: number, outcome: Outcome = 'clean') => {
    const message = onConnection(channel, 'client', afterUs, Uint8Array.of(octet))
    const interception = interceptionOf(message.payload, outcome)
    const numbers = numberFrame(channel.world, message)
    recordSent({ message, interception, trace: null, ...numbers }, connection)
    return numbers.numbers.sequence
  }
  return { channel, connection, received, send }
}

/** Sequence numbers of the segments in flight from the client. */
export const inFlight = ({ transit }: Connection) => transit?.client?.segments.map(({ sequence }) => sequence)
