/** IEC104_BREAKER_CMD: a second master interrogates a station and then commands a range of addresses. */

import { type Iec104Asdu, iec104Cause } from '../protocols/iec104-asdu.ts'
import { closeConnection, speaks } from '../step/connections.ts'
import type { Iec104Dialogue } from '../step/dialogue.ts'
import { interrogation, putAsdu, toAsdu } from '../step/stations/iec104-dialogue.ts'
import { isClosed } from '../step/stations/switching.ts'
import type { StepScene } from '../step/step-context.ts'
import type { Connection } from '../step/world.ts'
import { findOutstation, linkOf, type Outstation, objectAddress } from '../telecontrol/telecontrol.ts'
import { defineAttack, type ForgeScene } from './definition.ts'
import { type Mistake, type Params, parameterMistake } from './params.ts'
import { actUs, forgedCommands, openRogue, rogueId } from './rogue.ts'
import { techniques } from './techniques.ts'

/** Steps before the first command: connect, then interrogate. */
const preludeSteps = 2

/** Addresses that one step can command: two commands each, and k = 12 may wait for an acknowledgment. */
const addressesPerStep = 2

/** Most addresses in one sweep. */
const maximumSweep = 1_000

const params = {
  common_address: { type: 'integer', default: 1, min: 1, max: 65_534 },
  ioa_from: { type: 'integer', default: 1001, min: 1, max: 16_777_215 },
  ioa_to: { type: 'integer', default: 1004, min: 1, max: 16_777_215 },
  type_id: { type: 'string', default: 'C_SC_NA_1', enum: ['C_SC_NA_1', 'C_DC_NA_1'] },
  state: { type: 'string', default: 'off', enum: ['off', 'on', 'toggle'] },
  interval_ms: { type: 'number', default: 500, min: 10, max: 10_000, unit: 'ms' },
} as const

/** Industroyer-like: STARTDT, interrogation, then select and execute for each address of a range. */
export const iec104BreakerCmd = defineAttack({
  type: 'IEC104_BREAKER_CMD',
  name: 'IEC 104 breaker command (Industroyer-like)',
  protocol: 'IEC104',
  ...forgedCommands,
  params,
  frameEffect: 'STARTDT, C_IC_NA_1, then select and execute over a range; wrong addresses are refused',
  gridEffect: 'a sequence of breakers opens: load loss or cascade',
  expectedDetection: 'a second master, a sweep of addresses, refusals with causes 46 and 47, a burst of commands',
  links: ({ common_address }, plan) => linkOf(findOutstation(plan, 'IEC104', common_address)),
  check({ common_address, ioa_from, ioa_to }, plan) {
    const mistakes: Mistake[] = []
    if (findOutstation(plan, 'IEC104', common_address) === undefined)
      mistakes.push(parameterMistake('common_address', `is ${common_address}, and no IEC 104 outstation has it`))
    if (ioa_to < ioa_from || ioa_to - ioa_from >= maximumSweep)
      mistakes.push(
        parameterMistake('ioa_to', `is ${ioa_to}, expected from ${ioa_from} to ${ioa_from + maximumSweep - 1}`),
      )
    return mistakes
  },
  moves({ common_address, ioa_from, ioa_to, state }, plan) {
    const branches = findOutstation(plan, 'IEC104', common_address)?.branches ?? []
    const [from, to] = [ioa_from, ioa_to + 1].map((address) => Math.max(0, address - objectAddress.command))
    return state === 'toggle' ? [] : branches.slice(from, to).map((branch) => [branch, state === 'on'] as const)
  },
  forge(scene) {
    const { context, params: order, frame, attackId, memory } = scene
    const outstation = findOutstation(context.plan, 'IEC104', order.common_address)
    if (outstation === undefined) return
    const id = rogueId(attackId, outstation)
    if (frame === 0) {
      openRogue(scene, outstation, 'IEC104_BREAKER_CMD', techniques.commandMessage)
      return
    }
    const connection = context.world.connections[id]
    if (!speaks(connection, 'IEC104')) return
    const startUs = context.startUs + actUs
    if (frame === 1) {
      const forged = { attackId, description: `Interrogation of ${outstation.node} by a second master` }
      putAsdu({ context, connection }, 'client', interrogation(order.common_address), { timeUs: startUs, forged })
      return
    }
    const total = order.ioa_to - order.ioa_from + 1
    const done = sweep(scene, outstation, connection, total)
    memory.done = done
    if (done >= total && memory.doneAt === undefined) memory.doneAt = frame
    // Answers are in by the next step.
    if (memory.doneAt !== undefined && frame > Number(memory.doneAt) + 1) closeConnection(context, id, startUs)
  },
})

/** Commands all addresses whose moment has come, as many as one step can hold; returns how many are done. */
function sweep(
  { context, params: order, frame, attackId, memory }: ForgeScene<Params<typeof params>>,
  outstation: Outstation,
  connection: Connection<Iec104Dialogue>,
  total: number,
): number {
  const elapsedMs = (frame - preludeSteps) * 100
  let done = Number(memory.done ?? 0)
  for (let count = 0; count < addressesPerStep; count++) {
    if (done >= total || done * order.interval_ms >= elapsedMs + 100) break
    const address = order.ioa_from + done
    const closes = isClosingCommand(context, order, outstation, address)
    const what = `IOA ${address} ${closes ? 'on' : 'off'} at ${outstation.node}`
    for (const step of ['select', 'execute'] as const) {
      const command = toCommand(order, address, closes, step === 'select')
      const timeUs = context.startUs + actUs + count * 8_000 + (step === 'select' ? 0 : 4_000)
      const forged = { attackId, description: `Forged ${order.type_id} ${step}: ${what}` }
      putAsdu({ context, connection }, 'client', command, { timeUs, forged })
    }
    done += 1
  }
  return done
}

/** Tests that the command to an address closes; a toggle closes the breakers that are open. */
function isClosingCommand(
  context: StepScene,
  { state }: Params<typeof params>,
  { branches }: Outstation,
  address: number,
): boolean {
  if (state !== 'toggle') return state === 'on'
  const branch = branches[address - objectAddress.command]
  return branch !== undefined && !isClosed(context, branch)
}

function toCommand(
  { type_id, common_address: commonAddress }: Params<typeof params>,
  address: number,
  closes: boolean,
  select: boolean,
): Iec104Asdu {
  const cause = iec104Cause.activation
  const object = { address, select, qualifier: 0 }
  return type_id === 'C_SC_NA_1'
    ? toAsdu({ type: type_id, objects: [{ ...object, isOn: closes }], cause, commonAddress })
    : toAsdu({ type: type_id, objects: [{ ...object, state: closes ? 2 : 1 }], cause, commonAddress })
}
