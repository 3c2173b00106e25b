/** DNP3_CONTROL: control relay output blocks that no master meant to send. */

import type { Dnp3Function } from '../protocols/dnp3-fragment.ts'
import { dnp3ControlCode } from '../protocols/dnp3-objects.ts'
import { closeConnection } from '../step/connections.ts'
import { requestDnp3 } from '../step/stations/dnp3-dialogue.ts'
import { connectionId } from '../step/stations/polling.ts'
import { defineAttack } from './definition.ts'
import { actUs, openRogue, rogueId } from './rogue.ts'
import { techniques } from './techniques.ts'

const codes = {
  trip: dnp3ControlCode.trip,
  close: dnp3ControlCode.close,
  latch_on: dnp3ControlCode.latchOn,
  latch_off: dnp3ControlCode.latchOff,
} as const

/** How far ahead of the real master a forger inside its session counts. */
const sequenceJump = 8

/** Operates one point of an outstation: the first DNP3 one unless `target_link` names another. */
export const dnp3Control = defineAttack({
  type: 'DNP3_CONTROL',
  name: 'DNP3 direct operate injection',
  protocol: 'DNP3',
  technique: techniques.commandMessage,
  secondaryTechniques: [techniques.manipulationOfControl, techniques.rogueMaster],
  severity: 'CRITICAL',
  status: 'attacked',
  params: {
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
  },
  frameEffect: 'FC 5 (or 3 then 4, or 6) with g12v1; CRCs are right; the application sequence jumps',
  gridEffect: 'the breaker operates',
  expectedDetection: 'control from a wrong address, a sequence anomaly, use of FC 6',
  links: (_, { outstations }) =>
    outstations.filter(({ protocol }) => protocol === 'DNP3').map(({ link }) => link),
  forge(scene) {
    const { context, params, attackId, targetLink, memory } = scene
    const outstation = context.plan.outstations.find(
      ({ protocol, link }) => protocol === 'DNP3' && (targetLink === null || link === targetLink),
    )
    const requests: readonly Dnp3Function[] =
      params.function === 'select_operate' ? ['select', 'operate'] : [params.function]
    const sent = Number(memory.sent ?? 0)
    if (outstation === undefined || sent > requests.length) return
    const id = params.spoof_master ? connectionId(outstation) : rogueId(attackId, outstation)
    const startUs = context.startUs + actUs
    const request = requests[sent]
    if (request === undefined) {
      memory.sent = sent + 1
      if (!params.spoof_master) closeConnection(context, id, startUs)
      return
    }
    const connection =
      context.world.connections[id] ??
      (params.spoof_master
        ? undefined
        : openRogue(scene, outstation, 'DNP3_CONTROL', techniques.commandMessage))
    // Without a session of the master there is none to speak in: it is waited for.
    if (connection?.dialogue.protocol !== 'DNP3') return
    memory.sent = sent + 1
    const point = {
      index: params.point,
      code: codes[params.control],
      count: 1,
      onTimeMs: 100,
      offTimeMs: 100,
      status: 0,
    }
    const object = { kind: 'control', qualifier: 'index8', points: [point] } as const
    const description = `Forged ${request} of point ${params.point} (${params.control}) at ${outstation.node}`
    const { dialogue } = connection
    const { master } = dialogue
    // In the master's own session the forger takes numbers that the master does not wait for, and uses none of his up.
    if (params.spoof_master) {
      memory.sequence ??= master.application + sequenceJump
      dialogue.master = { ...master, application: (Number(memory.sequence) + sent) % 16 }
    }
    requestDnp3(context, connection, request, [object], startUs + 2_000, { attackId, description })
    if (params.spoof_master) dialogue.master = master
  },
})
