/** Sessions with outstations: a connection and the outstation at its end, in the step in which something happens on it. */

import type { FlowSide } from '../../link/tcp-flow.ts'
import type { Message } from '../../telecontrol/message.ts'
import type { Outstation, OutstationProtocol } from '../../telecontrol/telecontrol.ts'
import { connectTo, findConnection, openConnection, speaks, type Transport } from '../connections.ts'
import type { Dialogue, DialogueOf } from '../dialogue.ts'
import type { Outgoing, StepContext, StepScene } from '../step-context.ts'
import type { Connection } from '../world.ts'

/** A connection to an outstation; `context` is the part of the step that one end of it may touch. */
export interface Session<Spoken extends Dialogue, Context = StepContext> {
  readonly context: Context
  readonly connection: Connection<Spoken>
  readonly outstation: Outstation
}

/** The part of a session that sending from either end of it needs. */
export type Sender<Spoken extends Dialogue> = Pick<Session<Spoken, Pick<Outgoing, 'queue'>>, 'context' | 'connection'>

/** Finds the session on which a message has arrived, and the side that sent it; undefined for another protocol. */
export function findSession<Protocol extends OutstationProtocol>(
  context: StepContext,
  message: Message,
  protocol: Protocol,
): (Session<DialogueOf<Protocol>> & { readonly sender: FlowSide }) | undefined {
  const { carrier } = message
  const connection = findConnection(context.world, message)
  const outstation = context.plan.outstations.find(({ node }) => node === connection?.serverNode)
  if (carrier.kind !== 'tcp' || outstation === undefined || !speaks(connection, protocol)) return undefined
  return { context, connection, outstation, sender: carrier.side }
}

/** The identifier of the control centre's connection to an outstation. */
export function connectionId(outstation: Outstation): string {
  return `${outstation.link}#cc`
}

/** Gives the control centre's session with an outstation, and whether it is new: then the dialogue has to begin. */
export function ensureSession<Spoken extends Dialogue, Context extends Transport & Pick<StepScene, 'plan' | 'random'>>(
  context: Context,
  outstation: Outstation,
  { port, open }: { readonly port: number; readonly open: (timeUs: number) => Spoken },
  timeUs: number,
): Session<Spoken, Context> & { readonly isNew: boolean } {
  const id = connectionId(outstation)
  // Only this function opens connections of that name.
  const known = context.world.connections[id] as Connection<Spoken> | undefined
  if (known !== undefined && known.flow.phase === 'established') {
    return { context, connection: known, outstation, isNew: false }
  }
  const ends = { id, from: context.plan.controlCentre, to: outstation, port }
  const connection = connectTo({ ...ends, dialogue: open(timeUs) }, context.random('connections'))
  openConnection(context, connection, timeUs)
  return { context, connection, outstation, isNew: true }
}

/** The open connections of an outstation that speak its protocol and whose clients are masters, not attackers. */
export function listMasters<Protocol extends OutstationProtocol>(
  { world }: Pick<StepScene, 'world'>,
  { node }: Pick<Outstation, 'node'>,
  protocol: Protocol,
): readonly Connection<DialogueOf<Protocol>>[] {
  return Object.values(world.connections)
    .filter(({ serverNode, label, flow }) => serverNode === node && label === null && flow.phase === 'established')
    .filter((connection) => speaks(connection, protocol))
}
