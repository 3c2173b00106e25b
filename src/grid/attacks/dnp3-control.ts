/** DNP3_CONTROL: control relay output blocks that no master meant to send. */

import type { Dnp3Function } from '../protocols/dnp3-fragment.ts'
import { dnp3ControlCode } from '../protocols/dnp3-points.ts'
import type { Dnp3Dialogue } from '../step/dialogue.ts'
import { controlBlock, requestDnp3 } from '../step/stations/dnp3-dialogue.ts'
import type { Connection } from '../step/world.ts'
import type { Outstation, Telecontrol } from '../telecontrol/telecontrol.ts'
import { defineAttack, type ForgeScene } from './definition.ts'
import type { Params } from './params.ts'
import { actUs, afterHandshakeUs, forgedCommands, sendInTurn } from './rogue.ts'

const codes = {
  trip: dnp3ControlCode.trip,
  close: dnp3ControlCode.close,
  latch_on: dnp3ControlCode.latchOn,
  latch_off: dnp3ControlCode.latchOff,
} as const

/** Lead of the sequence of a forger inside the master's session, half of its 16 numbers: the master waits for none of them. */
const sequenceJump = 8

const params = {
  point: { type: 'integer', default: 0, min: 0, max: 255 },
  control: { type: 'string', default: 'trip', enum: ['trip', 'close', 'latch_on', 'latch_off'] },
  function: {
    type: 'string',
    default: 'direct_operate',
    enum: ['direct_operate', 'select_operate', 'direct_operate_no_ack'],
  },
  spoof_master: {
    type: 'boolean',
    default: true,
    description: 'true: inside the real master session; false: a separate session',
  },
} as const

/** Operates one point of an outstation: the first DNP3 one unless `target_link` names another. */
export const dnp3Control = defineAttack({
  type: 'DNP3_CONTROL',
  name: 'DNP3 direct operate injection',
  protocol: 'DNP3',
  ...forgedCommands,
  params,
  frameEffect: 'FC 5 (or 3 then 4, or 6) with g12v1; CRCs are right; the application sequence jumps',
  gridEffect: 'the breaker operates',
  expectedDetection: 'control from a wrong address, a sequence anomaly, use of FC 6',
  links: (_, { outstations }) => outstations.filter(({ protocol }) => protocol === 'DNP3').map(({ link }) => link),
  moves({ point, control }, plan, targetLink) {
    const branch = findStation(plan, targetLink)?.branches[point]
    return branch === undefined ? [] : [[branch, control === 'close' || control === 'latch_on']]
  },
  forge(scene) {
    const { context, params, targetLink } = scene
    const outstation = findStation(context.plan, targetLink)
    if (outstation === undefined) return
    const requests: readonly Dnp3Function[] =
      params.function === 'select_operate' ? ['select', 'operate'] : [params.function]
    const turns = { isRogue: !params.spoof_master, count: requests.length, protocol: 'DNP3' } as const
    sendInTurn(scene, outstation, { ...turns, attackType: 'DNP3_CONTROL' }, (connection, sent) =>
      sendControl(scene, outstation, connection, requests[sent] ?? 'operate'),
    )
  },
})

/** The first DNP3 outstation, or the one on a link. */
function findStation({ outstations }: Telecontrol, targetLink: string | null): Outstation | undefined {
  return outstations.find(({ protocol, link }) => protocol === 'DNP3' && (targetLink === null || link === targetLink))
}

type Scene = ForgeScene<Params<typeof params>>

/** Sends the control of the point as one request, which `memory.sent` counts already. */
function sendControl(
  { context, params, attackId, memory }: Scene,
  outstation: Outstation,
  connection: Connection<Dnp3Dialogue>,
  request: Dnp3Function,
): void {
  const { dialogue } = connection
  const objects = [controlBlock(params.point, codes[params.control])]
  const description = `Forged ${request} of point ${params.point} (${params.control}) at ${outstation.node}`
  const { master } = dialogue
  // The dialogue holds the forger's number for this request, and the master's own counters again behind it.
  if (params.spoof_master) {
    memory.sequence ??= master.application + sequenceJump
    dialogue.master = { ...master, application: (Number(memory.sequence) + Number(memory.sent) - 1) % 16 }
  }
  const timeUs = context.startUs + actUs + afterHandshakeUs
  const forged = { attackId, description }
  requestDnp3({ context, connection, outstation }, { functionCode: request, objects }, { timeUs, forged })
  if (params.spoof_master) dialogue.master = master
}
