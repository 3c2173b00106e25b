/** Connects a front, which holds the sockets of masters from outside and has FIELD_TOKEN, with its simulation. */

import { fieldCloseCodes, fieldPath } from '#grid/field/messages.ts'
import { refuseSocket } from '#objects/base/refuse-socket.ts'
import type { GridEnv } from '#objects/grid/env.ts'
import { hasBearer } from '../edge/bearer.ts'
import { problem } from './problems.ts'
import { requireSimulation } from './simulations.ts'

/**
 * Opens the connection of a front, or refuses it with a code of `fieldCloseCodes`.
 *
 * @throws GridError not_found when the simulation does not exist.
 */
export async function openField(request: Request, env: GridEnv, name: string): Promise<Response> {
  const { FIELD_TOKEN } = env
  if (request.headers.get('upgrade')?.toLowerCase() !== 'websocket') {
    return problem('method_not_allowed', 'Upgrade Required: the field is a WebSocket of sluice field')
  }
  // Without the token no object is woken.
  if (!hasBearer(request, FIELD_TOKEN)) {
    const state = (FIELD_TOKEN ?? '') === '' ? 'it is off' : 'the token is another'
    const reason = `Cannot connect: ${state}, expected the FIELD_TOKEN of the service`
    return refuseSocket(fieldCloseCodes.unauthorized, reason)
  }
  await requireSimulation(env, name, { withHint: false })
  const simulation = env.SIMULATION.getByName(name)
  const opened = await simulation.fetch(`https://field.invalid${fieldPath}`, { headers: { upgrade: 'websocket' } })
  return new Response(null, { status: 101, webSocket: opened.webSocket })
}
