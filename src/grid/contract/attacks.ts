/** Answers about attacks: the catalogue, what is enabled, and what an order came to. */

import * as z from 'zod'
import type { DeepReadonly } from '../../base/deep-readonly.ts'
import { anyObject, counters, optional, seconds } from './parts.ts'
import { Technique } from './records.ts'

const technique = Technique.nullable()
const params = anyObject.describe('Every parameter of the type, with defaults filled in.')
const mistakes = z
  .array(z.strictObject({ path: z.string(), message: z.string() }))
  .describe('The same as `errors` with their places, such as `params.bus`; an empty path is the whole request.')

const AttackCounters = z.strictObject(counters)
/** Counts of the messages that an attack saw, changed and dropped. */
export type AttackCounters = DeepReadonly<z.infer<typeof AttackCounters>>

/** Frames in which an attack acts. */
export const Schedule = z
  .strictObject({ start_frame: z.int(), duration_frames: z.int().describe('0: without an end.') })
  .describe('When an attack acts, counted in frames of the streams that it touches.')
export type Schedule = DeepReadonly<z.infer<typeof Schedule>>

const Parameter = z.strictObject({
  type: z.enum(['number', 'integer', 'boolean', 'string', 'strings']),
  default: z.union([z.number(), z.boolean(), z.string(), z.array(z.string())]),
  ...optional({
    min: z.number(),
    max: z.number(),
    enum: z.array(z.string()),
    maxLength: z.int(),
    maxItems: z.int(),
    unit: z.string(),
    description: z.string(),
  }),
})

/** One parameter of an attack. */
export type Parameter = DeepReadonly<z.infer<typeof Parameter>>

/** An order to the engine. */
export const AttackOrder = z.strictObject({
  attack_id: z.string(),
  type: z.string(),
  params,
  schedule: Schedule,
  target_link: z.string().nullable(),
  seed: z.int(),
})
export type AttackOrder = DeepReadonly<z.infer<typeof AttackOrder>>

const enabled = { type: z.string(), enabled: z.boolean(), params, schedule: Schedule, stats: AttackCounters, technique }

/** One attack that is enabled now. */
export const ActiveAttack = z.strictObject({ attack_id: z.string(), ...enabled, since: seconds })
export type ActiveAttack = DeepReadonly<z.infer<typeof ActiveAttack>>

/** The counters of all messages, the latest attack in full, and every attack that is enabled. */
export const AttacksSnapshot = z.strictObject({
  ...counters,
  ...enabled,
  since: seconds.nullable(),
  active: z.array(ActiveAttack),
})
export type AttacksSnapshot = DeepReadonly<z.infer<typeof AttacksSnapshot>>

/** One type of attack. */
export const CatalogEntry = z.strictObject({
  type: z.string(),
  name: z.string(),
  protocol: z.string(),
  technique,
  secondaryTechniques: z.array(Technique),
  severity: z.string().describe('Of an incident in which the attack changed the grid.'),
  status: z.string(),
  params: z.record(z.string(), Parameter),
  frameEffect: z.string(),
  gridEffect: z.string(),
  expectedDetection: z.string(),
  ...optional({
    aliases: z.record(z.string(), z.string()).describe('Names of older clients, each with the present name.'),
  }),
})
export type CatalogEntry = DeepReadonly<z.infer<typeof CatalogEntry>>

/** Every type of attack with its parameters. */
export const Catalog = z.strictObject({ attacks: z.array(CatalogEntry) })
export type Catalog = DeepReadonly<z.infer<typeof Catalog>>

/** The answer to an enable request. */
export const AttackEnableResult = z.strictObject({
  success: z.boolean().describe('The only proof that an attack was enabled.'),
  attack_type: z.string(),
  ...optional({
    attack_id: z.string(),
    effective_params: params,
    schedule: Schedule,
    technique: Technique,
    error: z.string(),
    errors: z.array(z.string()).describe('Every mistake in the request, one sentence each.'),
    mistakes,
    /** Parts of the request that were ignored. */
    warnings: z.array(z.string()),
    hint: z.string(),
  }),
})
export type AttackEnableResult = DeepReadonly<z.infer<typeof AttackEnableResult>>

/** The acknowledgment of a disable request; always a success, as the contract says. */
export const AttackDisableResult = z.strictObject({
  success: z.boolean(),
  message: z.string(),
  disabled: z.array(z.string()).describe('Identifiers of the attacks that ended.'),
  ...optional({ hint: z.string() }),
})
export type AttackDisableResult = DeepReadonly<z.infer<typeof AttackDisableResult>>
