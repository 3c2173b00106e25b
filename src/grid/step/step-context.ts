/** One step by who may touch what: its scene, the messages that leave in it, and the records that it makes. */

import { createRandom, type Random, resumeRandom } from '../../base/random.ts'
import { stepUs } from '../configuration.ts'
import type { Network } from '../network/network.ts'
import type { C37118Configuration } from '../protocols/c37118-configuration.ts'
import type { StreamEvent } from '../records/broadcast.ts'
import type { NewRecords } from '../records/records.ts'
import type { Message } from '../telecontrol/message.ts'
import { streamConfigurations } from '../telecontrol/phasor-configuration.ts'
import { planTelecontrol } from '../telecontrol/plan-telecontrol.ts'
import type { Telecontrol } from '../telecontrol/telecontrol.ts'
import { resolveAddresses } from './address-resolution.ts'
import { assignNumbers, type FrameDraft } from './drafts.ts'
import type { HeldMessage, World } from './world.ts'

/** The state, the network and the times of a step: attacks that alter a message have nothing else. */
export interface StepScene {
  readonly world: World
  readonly network: Network
  readonly plan: Telecontrol
  /** Microseconds since the Unix epoch at which the step begins, and at which the next one does. */
  readonly startUs: number
  readonly endUs: number
  /** A named stream of random numbers of the session. */
  readonly random: (name: string) => Random
  readonly configurationOf: (link: string) => C37118Configuration | undefined
}

/** Messages that are on their way in a step. */
export interface Outgoing {
  /** Messages that leave, in the order of their times; `send` adds to them. */
  readonly queue: Message[]
  /** Held messages that go on within the step, in the order of their times. */
  readonly due: HeldMessage[]
}

/** The records that a step makes. */
export interface StepLog {
  readonly drafts: FrameDraft[]
  readonly events: StreamEvent[]
  /** Effects on the grid of the message that is being received. */
  readonly effects: Record<string, string>[]
  /** Octets that arrive at masters from outside. */
  readonly field: FieldOctets[]
}

/** Octets for a master from outside. */
export interface FieldOctets {
  readonly connection: string
  readonly octets: Uint8Array
}

/** Frames and events of what masters from outside did since the last step: the next step takes them over. */
export interface Pending {
  readonly drafts: FrameDraft[]
  readonly events: StreamEvent[]
}

/** The movements of breakers between the devices of a step. */
export interface BreakerMoves {
  /** Breakers that moved in this step, for the outstations that report them. */
  readonly switched: { readonly branch: number; readonly closed: boolean; readonly timeUs: number }[]
  /** Numbers of the branches that relays want open in this step. */
  readonly trips: number[]
}

/** A whole step, for the devices that send, receive and act in it. */
export interface StepContext extends StepScene, Outgoing, StepLog, BreakerMoves {
  /** Writes the random streams into the world. */
  readonly keep: () => void
  /** Numbers the records, and writes the random streams into the world. */
  readonly close: () => NewRecords
}

/** Microseconds since the Unix epoch at which a step begins. */
export function stepTimeUs({ clock }: Pick<World, 'clock'>, step: number): number {
  return clock.timeUs + (step - clock.step) * stepUs
}

/** Opens the context of the next step. */
export function openStepContext(
  world: World,
  network: Network,
  { drafts, events }: Pending = { drafts: [], events: [] },
): StepContext {
  const plan = planTelecontrol(network)
  const startUs = stepTimeUs(world, world.step)
  const phasors = streamConfigurations(plan, world.configuration.pmu_rate)
  const { random, keep } = openStreams(world)
  return {
    world,
    network,
    plan,
    startUs,
    endUs: startUs + stepUs,
    random,
    configurationOf: (link) => phasors.get(link),
    queue: [],
    due: [],
    drafts,
    events,
    effects: [],
    field: [],
    switched: [],
    trips: [],
    keep,
    close: () => {
      const resolved = resolveAddresses(world, drafts, plan.attacker)
      const records = assignNumbers([...drafts, ...resolved], world, random('incident ids'))
      keep()
      return records
    },
  }
}

/** Random streams of a world by name, each opened at its first use; `keep` writes their states into the world. */
function openStreams(world: World): Pick<StepScene, 'random'> & { readonly keep: () => void } {
  const streams = new Map<string, Random>()
  return {
    random: (name) => {
      const known = streams.get(name)
      if (known !== undefined) return known
      const state = world.random[name]
      const stream = state === undefined ? createRandom(world.configuration.seed, name) : resumeRandom(state)
      streams.set(name, stream)
      return stream
    },
    keep: () => {
      for (const [name, stream] of streams) world.random[name] = stream.state()
    },
  }
}

/** Puts a message on its way; messages leave in the order of their times, equal times in the order of the calls. */
export function send({ queue }: Pick<Outgoing, 'queue'>, message: Message): void {
  let at = queue.length
  while (at > 0 && (queue[at - 1]?.timeUs ?? 0) > message.timeUs) at -= 1
  queue.splice(at, 0, message)
}
