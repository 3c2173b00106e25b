/** MODBUS_CMD_INJECT: writes that the control centre never sent. */

import type { ModbusRequestPdu } from '../protocols/modbus-pdu.ts'
import { forgeModbus } from '../step/stations/modbus-dialogue.ts'
import { findOutstation, linkOf } from '../telecontrol/telecontrol.ts'
import { defineAttack } from './definition.ts'
import { type Params, parameterMistake } from './params.ts'
import { actUs, afterHandshakeUs, forgedCommands, sendInTurn } from './rogue.ts'
import { techniques } from './techniques.ts'

const params = {
  function: {
    type: 'string',
    default: 'write_single_coil',
    enum: ['write_single_coil', 'write_single_register', 'write_multiple_registers'],
  },
  address: { type: 'integer', default: 0, min: 0, max: 65_535 },
  value: { type: 'integer', default: 0, min: 0, max: 65_535, description: 'a coil opens its breaker at 0' },
  unit_id: { type: 'integer', default: 1, min: 0, max: 247 },
  count: { type: 'integer', default: 1, min: 1, max: 500 },
  rogue_source: { type: 'boolean', default: true },
} as const

/** Writes coils or registers of one unit, once in every step. */
export const modbusCmdInject = defineAttack({
  type: 'MODBUS_CMD_INJECT',
  name: 'Modbus write injection',
  protocol: 'Modbus/TCP',
  ...forgedCommands,
  secondaryTechniques: [techniques.manipulationOfControl, techniques.bruteForce],
  severity: 'HIGH',
  params,
  frameEffect: 'a new TCP session from a foreign host with FC 5, 6 or 16, or a write inside the real session',
  gridEffect: 'a coil opens or closes a breaker; a register moves a set point',
  expectedDetection: 'a write from a host that is not a master, the list of allowed functions, the range of values',
  links: ({ unit_id }, plan) => linkOf(findOutstation(plan, 'Modbus', unit_id)),
  check: ({ unit_id }, plan) =>
    findOutstation(plan, 'Modbus', unit_id) === undefined
      ? [parameterMistake('unit_id', `is ${unit_id}, and no Modbus outstation has it`)]
      : [],
  moves({ function: kind, unit_id, address, value }, plan) {
    const branch = findOutstation(plan, 'Modbus', unit_id)?.branches[address]
    return kind === 'write_single_coil' && branch !== undefined ? [[branch, value !== 0]] : []
  },
  forge(scene) {
    const { context, params, attackId } = scene
    const outstation = findOutstation(context.plan, 'Modbus', params.unit_id)
    if (outstation === undefined) return
    const description = `Injected ${params.function} of ${params.value} to address ${params.address} of unit ${params.unit_id}`
    const departure = { timeUs: context.startUs + actUs + afterHandshakeUs, forged: { attackId, description } }
    const turns = { isRogue: params.rogue_source, count: params.count, protocol: 'Modbus' } as const
    sendInTurn(scene, outstation, { ...turns, attackType: 'MODBUS_CMD_INJECT' }, (connection) =>
      forgeModbus({ context, connection }, outstation.address, toPdu(params), departure),
    )
  },
})

function toPdu({ function: kind, address, value }: Params<typeof params>): ModbusRequestPdu {
  switch (kind) {
    case 'write_single_coil':
      return { kind, address, value: value !== 0 }
    case 'write_single_register':
      return { kind, address, value }
    case 'write_multiple_registers':
      return { kind, address, values: [value] }
  }
}
