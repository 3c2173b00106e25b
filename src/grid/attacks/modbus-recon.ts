/** MODBUS_RECON: a foreign host asks unit after unit who it is and what it has. */

import { type ModbusRequestPdu, modbusLimit } from '../protocols/modbus-pdu.ts'
import { forgeModbus } from '../step/stations/modbus-dialogue.ts'
import { findOutstation, type Outstation, type Telecontrol } from '../telecontrol/telecontrol.ts'
import { defineAttack, type ForgeScene } from './definition.ts'
import { type Params, parameterMistake } from './params.ts'
import { actUs, afterHandshakeUs, closeRogues, openRogue, rogueId } from './rogue.ts'
import { techniques } from './techniques.ts'

/** Microseconds over which a step spreads its requests. */
const spreadUs = 36_000

const params = {
  unit_from: { type: 'integer', default: 1, min: 0, max: 247 },
  unit_to: { type: 'integer', default: 16, min: 0, max: 247 },
  read_count: { type: 'integer', default: 64, min: 1, max: 2000, description: 'registers: 125 at most in one request' },
  rate_per_s: { type: 'number', default: 20, min: 1, max: 500, unit: '1/s' },
} as const

/** Asks each unit for its identification and then for coils, inputs and registers, at a steady rate. */
export const modbusRecon = defineAttack({
  type: 'MODBUS_RECON',
  name: 'Modbus scan',
  protocol: 'Modbus/TCP',
  technique: techniques.portScan,
  secondaryTechniques: [techniques.systemInformation, techniques.pointIdentification],
  severity: 'LOW',
  status: 'attacked',
  params,
  frameEffect: 'FC 43/14 and 17, then reads by FC 1 to 4; many exceptions of code 2, and units that do not answer',
  gridEffect: 'none',
  expectedDetection: 'a new host, a sweep of units, the rate of exceptions',
  links: ({ unit_from, unit_to }, plan) => {
    const units = Array.from({ length: Math.max(0, unit_to - unit_from + 1) }, (_, at) => unit_from + at)
    return [...new Set(units.flatMap((unit) => findTarget(unit, plan, null)?.link ?? []))]
  },
  check: ({ unit_from, unit_to }) =>
    unit_to < unit_from ? [parameterMistake('unit_to', `is ${unit_to}, expected ${unit_from} to 247`)] : [],
  forge(scene) {
    const { context, params: order, frame, memory } = scene
    const total = (order.unit_to - order.unit_from + 1) * listUnitRequests(order).length
    const sent = Number(memory.sent ?? 0)
    const due = Math.min(total, Math.floor(((frame + 1) * order.rate_per_s) / 10))
    for (let number = sent; number < due; number++) {
      ask(scene, number, context.startUs + actUs + afterHandshakeUs + ((number - sent) * spreadUs) / (due - sent))
    }
    memory.sent = Math.max(sent, due)
    // The step after the last request closes, so that its answer still arrives.
    if (sent >= total) closeRogues(scene)
  },
})

/** Sends one request of the sweep: all of a unit, then the next unit. */
function ask(scene: ForgeScene<Params<typeof params>>, number: number, timeUs: number): void {
  const { context, params: order, attackId, targetLink } = scene
  const requests = listUnitRequests(order)
  const unit = order.unit_from + Math.floor(number / requests.length)
  const pdu = requests[number % requests.length]
  const outstation = findTarget(unit, context.plan, targetLink)
  if (pdu === undefined || outstation === undefined) return
  const connection =
    context.world.connections[rogueId(attackId, outstation)] ??
    openRogue(scene, outstation, 'MODBUS_RECON', techniques.portScan)
  const description = `Scan of unit ${unit} at ${outstation.node}: ${pdu.kind}`
  const departure = { timeUs: Math.round(timeUs), forged: { attackId, description } }
  forgeModbus({ context, connection }, unit, pdu, departure)
}

/** The outstation of a unit, or the first one for a unit that none has; an order with a link asks there only. */
function findTarget(unit: number, plan: Telecontrol, targetLink: string | null): Outstation | undefined {
  if (targetLink !== null) return plan.outstations.find(({ link }) => link === targetLink)
  return findOutstation(plan, 'Modbus', unit) ?? findOutstation(plan, 'Modbus', 1)
}

/** The requests to one unit, in their order. */
function listUnitRequests({ read_count }: Params<typeof params>): readonly ModbusRequestPdu[] {
  const bits = { address: 0, quantity: Math.min(read_count, modbusLimit.readBits) }
  const registers = { address: 0, quantity: Math.min(read_count, modbusLimit.readRegisters) }
  return [
    { kind: 'read_device_identification', readCode: 1, objectId: 0 },
    { kind: 'report_server_id' },
    { kind: 'read_coils', ...bits },
    { kind: 'read_discrete_inputs', ...bits },
    { kind: 'read_holding_registers', ...registers },
    { kind: 'read_input_registers', ...registers },
  ]
}
