/** TelemetryObject: the publisher of simulations in the Worker that holds the grid and the gateway, wired to both. */

import { operationsOf } from '../edge/operations-isolate.ts'
import type { Env } from '../env.ts'
import { getGatewayState } from '../streamnet/adapters/gateway-state.ts'
import { streamnetSurface } from '../streamnet.ts'
import { followSimulation } from './follow.ts'
import { TelemetryPublisher, type TelemetrySource } from './object.ts'

/** One publisher for each simulation of the deployment. It writes as a caller of the gateway with STREAMNET_TOKEN. */
export class TelemetryObject extends TelemetryPublisher<Env> {
  protected override source(): TelemetrySource {
    return {
      readings: (simulation) => this.env.SIMULATION.getByName(simulation).readings(),
      operate: (operation, params) => this.#operate(operation, params),
      provider: getGatewayState(this.env).signer?.address,
    }
  }

  async #operate(operation: string, params: object): Promise<unknown> {
    const headers = {
      authorization: `Bearer ${this.env.STREAMNET_TOKEN ?? ''}`,
      'content-type': 'application/json',
    }
    const address = `https://telemetry.invalid/streamnet/v1/${operation}`
    const request = new Request(address, { method: 'POST', headers, body: JSON.stringify(params) })
    // The gateway uses no more of a context than `waitUntil`, which the state of an object has.
    const context = this.ctx as unknown as ExecutionContext
    const response = await streamnetSurface.fetch(request, this.env, context)
    if (response.ok) return response.json()
    throw new Error(`${operation} was answered ${response.status}: ${(await response.text()).slice(0, 300)}`)
  }
}

/** Lets the simulation of a request be followed after the answer, where telemetry is on. */
export function followAfter(request: Request, response: Response, env: Env, ctx: ExecutionContext): Response {
  const { telemetrySeconds } = operationsOf(env)
  const { TELEMETRY: objects } = env
  if (telemetrySeconds === 0 || objects === undefined) return response
  const asked = { method: request.method, path: new URL(request.url).pathname }
  const work = followSimulation(asked, response, telemetrySeconds, (name) => objects.getByName(name))
  if (work !== undefined) ctx.waitUntil(work)
  return response
}
