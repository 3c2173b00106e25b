/** Applies commands to a world: attacks, the clock, the load, orders to the plant, acknowledged alarms. */

import { type AttackOrder, type Command, type CommandOf, stepUs } from '../configuration.ts'
import { acknowledge } from '../control-centre/alarms.ts'
import { expectLoad } from '../control-centre/supervision.ts'
import { postpone } from '../link/tcp-transit.ts'
import { dropConnection } from './connections.ts'
import { stepTimeUs } from './step-context.ts'
import type { AttackState, World } from './world.ts'

/** Applies a command at the step that it names; the world changes in place. */
export function applyCommand(world: World, command: Command): void {
  world.commandsApplied += 1
  if (command.kind === 'enable') enableAttack(world, command.order)
  else if (command.kind === 'disable') endAttacks(world, command.attackIds)
  else if (command.kind === 'clock') setClock(world, command)
  else if (command.kind === 'acknowledge') acknowledge(world.view, command.numbers)
  else if (command.kind === 'load') {
    world.plant.loadScale = command.scale
    expectLoad(world)
  } else world.orders.push(command)
}

function setClock(world: World, { timeUs, reason }: CommandOf<'clock'>): void {
  if (reason !== 'start') skipTime(world, stepTimeUs(world, world.step), timeUs, reason)
  world.clock = { step: world.step, timeUs }
}

/** Enabling a type again replaces it: the newest parameters are the ones in force. */
function enableAttack(world: World, order: AttackOrder): void {
  const ids = world.attacks.flatMap((state) => (state.order.type === order.type ? [state.order.attack_id] : []))
  endAttacks(world, ids)
  world.attackNumber += 1
  world.lastAttackId = order.attack_id
  world.attacks.push({
    order,
    sinceUs: stepTimeUs(world, world.step),
    seen: {},
    counters: { total_packets: 0, modified_packets: 0, dropped_packets: 0 },
    memory: {},
  })
}

/** Skips time in which no step was computed: nothing was measured, sent or missed in it. */
function skipTime(world: World, fromUs: number, toUs: number, reason: 'resume' | 'gap'): void {
  if (toUs <= fromUs) return
  if (toUs - fromUs > stepUs) world.gaps.push({ fromUs, toUs, reason })
  const pausedUs = toUs - fromUs
  world.view.liveUs = toUs
  for (const state of Object.values(world.goose)) state.nextUs += pausedUs
  // The count of samples goes on from the new time.
  for (const state of Object.values(world.sampled ?? {})) state.accepted = null
  for (const [hosts, knownUntilUs] of Object.entries(world.addresses)) world.addresses[hosts] = knownUntilUs + pausedUs
  for (const [ip, clock] of Object.entries(world.clocks)) world.clocks[ip] = { ...clock, dueUs: clock.dueUs + pausedUs }
  world.held = world.held.map((held) => ({ ...held, sentUs: held.sentUs + pausedUs, dueUs: held.dueUs + pausedUs }))
  for (const { transit = {} } of Object.values(world.connections)) {
    for (const side of ['client', 'server'] as const) {
      if (transit[side] !== undefined) transit[side] = postpone(transit[side], pausedUs)
    }
  }
}

/** Ends attacks, of which the world keeps the last one, and removes the connections that they opened. */
function endAttacks(world: World, attackIds: readonly string[]): void {
  const hasEnded = ({ order }: AttackState) => attackIds.includes(order.attack_id)
  const last = world.attacks.findLast(hasEnded)
  if (last !== undefined) world.ended = { ...last, memory: {} }
  world.attacks = world.attacks.filter((state) => !hasEnded(state))
  for (const [id, { label }] of Object.entries(world.connections)) {
    if (label !== null && attackIds.includes(label.attack_id)) dropConnection(world, id)
  }
}
