/** The interface between the engine and the devices of one protocol. */

import type { Message } from '../../telecontrol/message.ts'
import type { Outstation } from '../../telecontrol/telecontrol.ts'
import type { Dialogue } from '../dialogue.ts'
import type { StepContext } from '../step-context.ts'
import type { Connection } from '../world.ts'
import type { Session } from './session.ts'

/** The devices of one protocol, at both ends of their links. */
export interface Station {
  /** Sends what is due in this step. */
  readonly poll: (context: StepContext) => void
  /** Takes in a message as it arrived, at the end to which it was sent. */
  readonly receive: (context: StepContext, message: Message, payload: Uint8Array) => void
  /** Brings a message up to date at the moment at which it leaves; its octets change in place. */
  readonly seal?: (message: Message, connection: Connection) => void
}

/** Outstations of one protocol: the control centre, and an attacker too, reaches them over TCP. */
export interface OutstationStation<Spoken extends Dialogue = Dialogue> extends Station {
  /** TCP port on which an outstation listens. */
  readonly port: number
  /** Makes the state of a connection that opens at `timeUs`. */
  readonly open: (timeUs: number) => Spoken
  /** Sends the first message of a client; absent where a client may begin with any request. */
  readonly begin?: (context: StepContext, connection: Connection, timeUs: number, attackId: string | null) => void
  /** Reports a breaker that moved; absent where outstations only answer. */
  readonly report?: (context: StepContext, outstation: Outstation, branch: number, timeUs: number) => void
  /** Commands a breaker of the outstation, from the client's end of a connection. */
  readonly command: (session: Session<Dialogue>, order: BreakerOrder, forged: Message['forged']) => void
}

/** A command to a breaker. */
export interface BreakerOrder {
  /** Position in the outstation's list of branches. */
  readonly index: number
  readonly closed: boolean
  /** Microseconds since the Unix epoch at which it leaves. */
  readonly timeUs: number
}
