/** Requests of both ends of a Modbus connection, with their transaction numbers. */

import { encodeModbusRequest, nextTransactionId } from '../../protocols/modbus.ts'
import type { ModbusRequestPdu } from '../../protocols/modbus-pdu.ts'
import { type Departure, sendFrom, speaks } from '../connections.ts'
import type { Dialogue, ModbusDialogue } from '../dialogue.ts'
import type { Outgoing } from '../step-context.ts'
import { afterHandshakeUs } from './polling.ts'
import type { Sender, Session } from './session.ts'

/** The control centre's end of a session. */
type Client = Session<ModbusDialogue, Pick<Outgoing, 'queue'>>

/** Asks an outstation for all its measured values. */
export function askMeasurements(client: Client, timeUs: number): void {
  const quantity = client.outstation.points.length * 2
  ask(client, 'measurements', { kind: 'read_input_registers', address: 0, quantity }, timeUs)
}

/** Asks an outstation, and remembers what the control centre waits for. */
export function ask(
  { context, connection, outstation }: Client,
  asked: 'states' | 'measurements',
  pdu: ModbusRequestPdu,
  timeUs: number,
): void {
  const { dialogue } = connection
  dialogue.transaction = nextTransactionId(dialogue.transaction)
  dialogue.asked = asked
  const request = { transactionId: dialogue.transaction, unitId: outstation.address, pdu }
  sendFrom(context, connection, 'client', { timeUs: timeUs + afterHandshakeUs, payload: encodeModbusRequest(request) })
}

/** Sends an attacker's request to a unit, on the control centre's connection or on a separate one. */
export function forgeModbus(
  { context, connection }: Sender<Dialogue>,
  unitId: number,
  pdu: ModbusRequestPdu,
  departure: Required<Departure>,
): void {
  if (!speaks(connection, 'Modbus')) return
  const { dialogue, label } = connection
  // Inside the control centre's session the number must differ from the one that it waits for.
  const transactionId =
    label === null ? (dialogue.transaction + 0x1000) & 0xffff : nextTransactionId(dialogue.transaction)
  if (label !== null) dialogue.transaction = transactionId
  const purpose = pdu.kind.startsWith('write') ? 'command' : 'link'
  const payload = encodeModbusRequest({ transactionId, unitId, pdu })
  sendFrom(context, connection, 'client', { ...departure, payload, purpose })
}
