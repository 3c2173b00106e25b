/** Requests of both ends of a Modbus connection, with their transaction numbers. */

import { encodeModbusRequest, nextTransactionId } from '../../protocols/modbus.ts'
import type { ModbusRequestPdu } from '../../protocols/modbus-pdu.ts'
import type { Message } from '../../telecontrol/message.ts'
import type { Outstation } from '../../telecontrol/telecontrol.ts'
import { envelope } from '../connections.ts'
import { type Outgoing, send } from '../step-context.ts'
import type { Connection } from '../world.ts'
import { afterHandshakeUs } from './polling.ts'

/** Asks an outstation for all its measured values. */
export function askMeasurements(
  outgoing: Pick<Outgoing, 'queue'>,
  connection: Connection,
  outstation: Outstation,
  timeUs: number,
): void {
  const quantity = outstation.points.length * 2
  const pdu: ModbusRequestPdu = { kind: 'read_input_registers', address: 0, quantity }
  ask(outgoing, connection, outstation, 'measurements', pdu, timeUs)
}

/** Asks an outstation, and remembers what the control centre waits for. */
export function ask(
  outgoing: Pick<Outgoing, 'queue'>,
  connection: Connection,
  outstation: Outstation,
  asked: 'states' | 'measurements',
  pdu: ModbusRequestPdu,
  timeUs: number,
): void {
  const { dialogue } = connection
  if (dialogue.protocol !== 'Modbus') return
  dialogue.transaction = nextTransactionId(dialogue.transaction)
  dialogue.asked = asked
  const request = { transactionId: dialogue.transaction, unitId: outstation.address, pdu }
  send(outgoing, {
    ...envelope(connection, 'client'),
    purpose: 'link',
    timeUs: timeUs + afterHandshakeUs,
    payload: encodeModbusRequest(request),
    forged: null,
  })
}

/** Sends an attacker's request to a unit, on the control centre's connection or on a separate one. */
export function forgeModbus(
  outgoing: Pick<Outgoing, 'queue'>,
  connection: Connection,
  unitId: number,
  pdu: ModbusRequestPdu,
  timeUs: number,
  forged: Message['forged'],
): void {
  const { dialogue, label } = connection
  if (dialogue.protocol !== 'Modbus') return
  // Inside the control centre's session the number must differ from the one that it waits for.
  const transactionId =
    label === null ? (dialogue.transaction + 0x1000) & 0xffff : nextTransactionId(dialogue.transaction)
  if (label !== null) dialogue.transaction = transactionId
  send(outgoing, {
    ...envelope(connection, 'client'),
    purpose: pdu.kind.startsWith('write') ? 'command' : 'link',
    timeUs,
    payload: encodeModbusRequest({ transactionId, unitId, pdu }),
    forged,
  })
}
