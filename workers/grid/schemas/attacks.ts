/** Shapes of attacks: the catalogue, what is enabled, and the answers to enable and disable requests. */

import {
  boolean,
  describe,
  listOf,
  number,
  oneOf,
  orNull,
  type Schemas,
  text,
  whole,
} from '#base/json-schema.ts'
import { anyObject, mapOf, object, refTo, seconds } from './parts.ts'
import { counters } from './simulation.ts'

const technique = orNull(refTo('Technique'))
const params = describe('Every parameter of the type, with defaults filled in.', anyObject)
const mistakes = describe(
  'The same as `errors` with their places, such as `params.bus`; an empty path is the whole request.',
  listOf(object({ path: text, message: text })),
)

const parameter = object(
  {
    type: oneOf('number', 'integer', 'boolean', 'string', 'strings'),
    default: { type: ['number', 'boolean', 'string', 'array'] },
  },
  {
    min: number,
    max: number,
    enum: listOf(text),
    maxLength: whole,
    maxItems: whole,
    unit: text,
    description: text,
  },
)

const enabled: Schemas = {
  type: text,
  enabled: boolean,
  params,
  schedule: refTo('Schedule'),
  stats: object(counters),
  technique,
}

/** Schemas by the name of the shape. */
export const attackSchemas: Schemas = {
  Schedule: describe(
    'When an attack acts, counted in frames of the streams that it touches.',
    object({ start_frame: whole, duration_frames: describe('0: without an end.', whole) }),
  ),
  AttackOrder: object({
    attack_id: text,
    type: text,
    params,
    schedule: refTo('Schedule'),
    target_link: orNull(text),
    seed: whole,
  }),
  ActiveAttack: object({ attack_id: text, ...enabled, since: seconds }),
  AttacksSnapshot: object({
    ...counters,
    ...enabled,
    since: orNull(seconds),
    active: listOf(refTo('ActiveAttack')),
  }),
  CatalogEntry: object(
    {
      type: text,
      name: text,
      protocol: text,
      technique,
      secondaryTechniques: listOf(refTo('Technique')),
      severity: describe('Of an incident in which the attack changed the grid.', text),
      status: text,
      params: mapOf(parameter),
      frameEffect: text,
      gridEffect: text,
      expectedDetection: text,
    },
    { aliases: describe('Names of older clients, each with the present name.', mapOf(text)) },
  ),
  Catalog: object({ attacks: listOf(refTo('CatalogEntry')) }),
  AttackEnableResult: object(
    { success: describe('The only proof that an attack was enabled.', boolean), attack_type: text },
    {
      attack_id: text,
      effective_params: params,
      schedule: refTo('Schedule'),
      technique: refTo('Technique'),
      error: text,
      errors: describe('Every mistake in the request, one sentence each.', listOf(text)),
      mistakes,
      warnings: listOf(text),
      hint: text,
    },
  ),
  AttackDisableResult: object(
    { success: boolean, message: text },
    { disabled: describe('Identifiers of the attacks that ended.', listOf(text)), hint: text },
  ),
}
