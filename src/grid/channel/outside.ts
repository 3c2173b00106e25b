/** Masters from outside: octets of their sockets are applied between two steps and answered at once. */

import { decodeHex } from '../../base/hex.ts'
import type { FieldEntry } from '../configuration.ts'
import { fieldConnectionId } from '../field/messages.ts'
import { findNetwork } from '../network/find-network.ts'
import { c37118Port } from '../protocols/c37118.ts'
import { closeConnection, connectTo, openConnection, sendFrom } from '../step/connections.ts'
import { outstationStations, receiveMessage } from '../step/stations/catalogue.ts'
import { newPhasorDialogue } from '../step/stations/phasor-units.ts'
import { type FieldOctets, openStepContext, type Pending, type StepContext } from '../step/step-context.ts'
import type { World } from '../step/world.ts'
import { exchange } from './deliver.ts'

/** Applies an entry between two steps: gives what goes to masters now; `pending` gets frames and events. */
export function applyField(world: World, entry: FieldEntry, pending: Pending): readonly FieldOctets[] {
  const context = openStepContext(world, findNetwork(world.configuration), pending)
  const { event, number, connection } = entry
  const timeUs = context.startUs + entry.atUs
  const id = fieldConnectionId(connection)
  world.field.applied = number
  if (event === 'close') closeConnection(context, id, timeUs)
  else if ('open' in event) openFromOutside(context, id, event.open, timeUs)
  else {
    const known = world.connections[id]
    // The outstation has closed it meanwhile: nothing is sent or drawn, so there is nothing to keep.
    if (known === undefined) return []
    sendFrom(context, known, 'client', { timeUs, payload: decodeHex(event.octets) })
    exchange(context, receiveMessage)
  }
  world.field.open = Object.values(world.connections).filter(({ isField }) => isField === true).length
  context.keep()
  return context.field
}

function openFromOutside(context: StepContext, id: string, node: string, timeUs: number): void {
  const { plan } = context
  const random = context.random('field')
  const outstation = plan.outstations.find((one) => one.node === node)
  const unit = plan.pmus.find((one) => one.node === node)
  const place = outstation ?? unit
  // Without such a device nothing opens, and the session closes the socket as one whose connection is gone.
  if (place === undefined) return
  const station = outstation === undefined ? undefined : outstationStations[outstation.protocol]
  const dialogue = station?.open(timeUs) ?? newPhasorDialogue()
  const port = station?.port ?? c37118Port.tcp
  const connection = connectTo({ id, from: plan.field, to: place, port, dialogue }, random)
  openConnection(context, { ...connection, isField: true }, timeUs)
}
