/** Readers of the bodies of orders; code behind this file sees checked values only. */

import type * as z from 'zod'
import { isRecord } from '../../base/json.ts'
import type { Command, CommandOf, Configuration } from '../configuration.ts'
import { GridError } from '../errors.ts'
import { readBody } from './body-mistakes.ts'
import { findOrder, orderShapes } from './body-shapes.ts'

/** A change of a configuration; `network` is the name of a stored network. */
export type ConfigurationRequest = Partial<Omit<Configuration, 'network'>> & { readonly network?: string }

/**
 * Reads a change of configuration: only the fields that change.
 *
 * @throws GridError invalid_configuration when the body has mistakes; the message lists every one.
 */
export function parseConfiguration(body: unknown): ConfigurationRequest {
  return requireOneNetwork(
    readBody(orderShapes['/sim/config'], body, {
      code: 'invalid_configuration',
      action: 'read configuration',
      findOrder,
    }),
  )
}

/**
 * Reads `{name, configuration?}`: a simulation to create.
 *
 * @throws GridError invalid_request when the body has mistakes; the message lists every one.
 */
export function parseSimulation(body: unknown) {
  const { name, configuration } = readOrder(orderShapes['/simulations'], body, 'create a simulation')
  return { name, configuration: requireOneNetwork(configuration) }
}

function requireOneNetwork(change: ConfigurationRequest): ConfigurationRequest {
  if (change.case === undefined || change.network === undefined) return change
  throw new GridError('invalid_configuration', 'Cannot read configuration: case and network, expected one of them')
}

/**
 * Reads the body of an order that takes none: absent, or an object without fields.
 *
 * @throws GridError invalid_request when there is a field: an ignored one would look as if it had an effect.
 */
export function expectNothing(body: unknown): void {
  const isNothing = body === undefined || (isRecord(body) && Object.keys(body).length === 0)
  if (isNothing) return
  throw new GridError('invalid_request', 'Cannot reset: the body must be absent or {}', {
    hint: 'POST /api/v1/sim/config begins a new session with another configuration',
  })
}

/** A command without its step, which the session adds. */
type OrderBody<Kind extends Command['kind']> = Omit<CommandOf<Kind>, 'step'>

/** Reads `{speed}`: simulated seconds per second. */
export function parseSpeed(body: unknown): number {
  return readOrder(orderShapes['/sim/speed'], body, 'set the speed').speed
}

/** Reads `{steps}`: how many steps of 100 ms to run at once; 1 when absent. */
export function parseSteps(body: unknown): number {
  return readOrder(orderShapes['/sim/step'], body ?? {}, 'step').steps
}

/** Reads `{breaker, closed}`: an operator's switching. */
export function parseSwitch(body: unknown): OrderBody<'switch'> {
  return { kind: 'switch', ...readOrder(orderShapes['/grid/breaker'], body, 'switch a breaker') }
}

/** Reads `{breaker, closing?}`: a breaker that joins two islands, in synchronism if nothing else is said. */
export function parseJoin(body: unknown): OrderBody<'switch'> {
  return { kind: 'switch', closed: true, ...readOrder(orderShapes['/grid/join'], body, 'join two islands') }
}

/** Reads `{numbers?}`: alarms to acknowledge; all of them where the body is absent or names none. */
export function parseAcknowledge(body: unknown): OrderBody<'acknowledge'> {
  return { kind: 'acknowledge', ...readOrder(orderShapes['/grid/acknowledge'], body ?? {}, 'acknowledge alarms') }
}

/** Reads `{bus?, share?}`: load that returns, at one bus or at all, by default all of it. */
export function parseRestore(body: unknown): OrderBody<'restore'> {
  return { kind: 'restore', ...readOrder(orderShapes['/grid/restore'], body ?? {}, 'restore load') }
}

/**
 * Reads `{bus, connected?, p_mw?, v_pu?}`: an order to the machine at a bus.
 *
 * @throws GridError invalid_request when the body has mistakes, or nothing to order.
 */
export function parseGenerator(body: unknown): OrderBody<'generator'> {
  const order = readOrder(orderShapes['/grid/generator'], body, 'order a machine')
  if (Object.keys(order).length > 1) return { kind: 'generator', ...order }
  throw new GridError('invalid_request', 'Cannot order a machine: expected connected, p_mw or v_pu beside the bus')
}

/** Reads `{breaker, seconds?}`: a fault of a line, of half a second if nothing else is said. */
export function parseFault(body: unknown): OrderBody<'trip'> {
  const { breaker: at, seconds } = readOrder(orderShapes['/grid/fault'], body, 'put a fault on a line')
  return { kind: 'trip', breaker: at, fault_s: seconds }
}

/** Reads `{breaker, position}`: the tap of the transformer at a breaker. */
export function parseTapOrder(body: unknown): OrderBody<'tap'> {
  return { kind: 'tap', ...readOrder(orderShapes['/grid/tap'], body, 'move a tap') }
}

/** Reads `{scale}`: a factor on every load from now on. */
export function parseLoad(body: unknown): OrderBody<'load'> {
  return { kind: 'load', ...readOrder(orderShapes['/grid/load'], body, 'scale the loads') }
}

/** Reads the body of an order; the message of a property that another order takes names that one. */
function readOrder<Schema extends z.ZodType>(schema: Schema, body: unknown, action: string): z.infer<Schema> {
  return readBody(schema, body, { code: 'invalid_request', action, findOrder })
}
