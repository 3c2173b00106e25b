/** One step of a session, opened and not yet computed: for tests of what works inside a step. */

import type { Endpoint } from '#grid/link/ip-frame.ts'
import { newTcpFlow } from '#grid/link/tcp-flow.ts'
import { findNetwork } from '#grid/network/find-network.ts'
import { openStepContext, type StepContext } from '#grid/step/step-context.ts'
import type { Connection, World } from '#grid/step/world.ts'
import type { Message } from '#grid/telecontrol/message.ts'
import type { PacketLabel } from '#grid/types.ts'
import { startWorld } from './grid-session.ts'

/** Two hosts that are in no network of the product. */
export const near: Endpoint = { mac: '02:00:5e:00:00:0a', ip: '10.20.1.10', port: 50_001 }
export const far: Endpoint = { mac: '02:00:5e:00:00:0c', ip: '10.20.2.12', port: 20_000 }

/** Opens the next step of a world. */
export function contextOf(world: World = startWorld()): StepContext {
  return openStepContext(world, findNetwork(world.configuration))
}

/** A datagram between the two, `afterUs` into the step. */
export function datagram(
  context: StepContext,
  afterUs: number,
  payload: Uint8Array,
  change: Partial<Message> = {},
): Message {
  return {
    protocol: 'DNP3',
    link: 'a-b',
    carrier: { kind: 'udp', from: near, to: far },
    srcNode: 'A',
    dstNode: 'B',
    timeUs: context.startUs + afterUs,
    payload,
    purpose: 'link',
    forged: null,
    ...change,
  }
}

/** A connection between the two that is not open yet. */
export function newConnection(label: PacketLabel | null = null, id = 'a-b#1'): Connection {
  return {
    id,
    link: 'a-b',
    clientNode: 'A',
    serverNode: 'B',
    flow: newTcpFlow(near, far, { client: 1_000, server: 4_294_967_290 }),
    dialogue: { protocol: 'C37.118' },
    label,
  }
}

/** Messages of a client or a server on that connection. */
export function onConnection(
  context: StepContext,
  side: 'client' | 'server',
  afterUs: number,
  payload: Uint8Array,
  id = 'a-b#1',
): Message {
  return datagram(context, afterUs, payload, { carrier: { kind: 'tcp', connection: id, side } })
}
