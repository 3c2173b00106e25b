/** The definition of an attack: its identity for reports, its parameters, and what it does to messages. */

import type { Json, JsonObject } from '../../base/json.ts'
import type { StepContext, StepScene } from '../step/step-context.ts'
import type { Message } from '../telecontrol/message.ts'
import type { Telecontrol } from '../telecontrol/telecontrol.ts'
import type { IncidentStatus, Severity, TechniqueRef } from '../types.ts'
import type { Mistake, Params, ParamTable } from './params.ts'

/** The effect of an attack on a message that it touches. */
export type Alteration =
  /** Equal octets count as untouched: nothing is said about a message that was not changed. */
  | {
      readonly kind: 'modify'
      readonly payload: Uint8Array
      readonly description: string
      /** `invalid` for octets that no receiver can read; `attacked` when absent. */
      readonly status?: 'attacked' | 'invalid'
    }
  | { readonly kind: 'delay'; readonly delayUs: number; readonly description: string }
  | { readonly kind: 'drop'; readonly description: string }

/** The things that an attack works with while it acts: one that alters a message reads the step and sends nothing. */
export interface AttackScene<P, Context extends StepScene = StepScene> {
  readonly context: Context
  readonly params: P
  readonly attackId: string
  /** Number of this message or step since the schedule began, counted from 0. */
  readonly frame: number
  /** The attack's memory; plain JSON, part of the world. */
  readonly memory: Record<string, Json>
  /** The attack's own random stream. */
  readonly random: () => number
  readonly normal: () => number
  /** The link that the order named, or null for all. */
  readonly targetLink: string | null
}

/** The scene of an attack that forges messages. */
export type ForgeScene<P> = AttackScene<P, StepContext>

/** One type of attack. */
export interface AttackDefinition<Table extends ParamTable = ParamTable> {
  readonly type: string
  readonly name: string
  readonly protocol: string
  readonly technique: TechniqueRef | null
  readonly secondaryTechniques: readonly TechniqueRef[]
  /** Severity once the attack changed the grid; until then the status decides. */
  readonly severity: Severity
  readonly status: IncidentStatus
  readonly params: Table
  readonly frameEffect: string
  readonly gridEffect: string
  readonly expectedDetection: string
  /** Protocol of the stations that it works on, where not every session has them. */
  readonly needs?: 'MMS'
  /** Parameter names of older clients, each with the present name. */
  readonly aliases?: Readonly<Record<string, string>>
  /** Values of parameters that a request leaves out, where those of the table fit neither it nor the network. */
  readonly defaults?: (given: Readonly<Record<string, unknown>>, plan: Telecontrol) => Partial<Params<Table>>
  /** The links that it acts on with these parameters; of forged messages, the link of their receiver. */
  readonly links: (params: Params<Table>, plan: Telecontrol) => readonly string[]
  /** Finds what is wrong with parameters that fit their table, such as a breaker that does not exist. */
  readonly check?: (params: Params<Table>, plan: Telecontrol, targetLink: string | null) => readonly Mistake[]
  /** The breakers that it moves, by branch, each with the state that it leaves; absent where it moves none. */
  readonly moves?: (
    params: Params<Table>,
    plan: Telecontrol,
    targetLink: string | null,
  ) => readonly (readonly [branch: number, closed: boolean])[]
  /** Tests that it lets no message pass, so that another attack on the same link has nothing to change. */
  readonly silences?: (params: Params<Table>) => boolean
  /** Tests that the attack sees a message at all; only those count for its schedule. */
  readonly touches?: (message: Message, params: Params<Table>) => boolean
  /** Changes, delays or drops a message on its way; undefined lets it pass. */
  readonly alter?: (message: Message, scene: AttackScene<Params<Table>>) => Alteration | undefined
  /** Forges messages; called once in every step of its schedule. */
  readonly forge?: (scene: ForgeScene<Params<Table>>) => void
}

/** A definition as the engine uses it: `readParams` has checked the parameters against the definition's table. */
export type AnyAttack = AttackDefinition<ParamTable>

/**
 * Declares an attack; its functions see their parameters with the types of its table.
 *
 * The catalogue holds different tables in one list: orders reach a definition only after `readParams` with its table.
 */
export function defineAttack<const Table extends ParamTable>(definition: AttackDefinition<Table>): AnyAttack {
  return definition as unknown as AnyAttack
}

/** Parameters of an order as its definition's functions expect them; see `defineAttack`. */
export function toParams(params: JsonObject): Params<ParamTable> {
  return params as Params<ParamTable>
}
