/** Answers about scenarios: the library, and the one that a session plays. */

import * as z from 'zod'
import type { DeepReadonly } from '../../base/deep-readonly.ts'
import { optional } from './parts.ts'

const texts = z.array(z.string())
const duration = z.number().describe('Seconds.')

/** The scenarios of the library. */
export const Scenarios = z.strictObject({
  count: z.int(),
  scenarios: z.array(
    z.strictObject({
      name: z.string(),
      title: z.string(),
      summary: z.string(),
      network: z.string(),
      duration_s: duration,
      exercises: texts,
    }),
  ),
})
export type Scenarios = DeepReadonly<z.infer<typeof Scenarios>>

const answer = z.union([z.string(), z.number(), texts])

const question = { ask: z.string(), ...optional({ choices: texts }) }

const progress = { at_s: z.number().describe('Seconds since the start.'), duration_s: duration, finished: z.boolean() }

/** The answers of one person: a token's name in GRID_ROLES, or `operator`. */
export const HandedIn = z.strictObject({ name: z.string(), answers: texts.describe('In the order of the questions.') })
export type HandedIn = DeepReadonly<z.infer<typeof HandedIn>>

/** The scenario that the session plays; null without one. */
export const Scenario = z.strictObject({
  name: z.string().nullable(),
  scenario: z
    .strictObject({
      title: z.string(),
      summary: z.string(),
      briefing: z.string(),
      ...progress,
      timeline: z.array(
        z.strictObject({
          at_s: z.number(),
          kind: z.enum(['attack', 'operator', 'fault', 'check']),
          text: z.string(),
          exercises: texts,
          hints: texts,
          passed: z.boolean().describe('True once its moment has passed.'),
          ...optional({ attack: z.string(), attack_id: z.string(), until_s: z.number() }),
        }),
      ),
      questions: z.array(z.strictObject({ ...question, answer, tolerance: z.number(), hints: texts })),
      handed_in: z.array(HandedIn).describe('The last answers of each person.'),
    })
    .nullable(),
})
export type Scenario = DeepReadonly<z.infer<typeof Scenario>>

/** The same for the control room: the briefing, and the questions after the end. */
export const ControlRoomScenario = z.strictObject({
  scenario: z
    .strictObject({ briefing: z.string(), ...progress, questions: z.array(z.strictObject(question)) })
    .nullable(),
})
export type ControlRoomScenario = DeepReadonly<z.infer<typeof ControlRoomScenario>>
