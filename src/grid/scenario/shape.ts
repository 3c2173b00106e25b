/** The shape of a scenario as it is written, by which files are read and editors complete them. */

import * as z from 'zod'
import type { Schema } from '../../base/json.ts'
import { NetworkTables } from '../contract/network.ts'
import { optional, summary } from '../contract/parts.ts'
import { detectors } from '../control-centre/detection.ts'
import { toBodySchema } from '../interface/body-schema.ts'
import { closings, engineSettings, loadSettings } from '../interface/session-settings.ts'
import { defaultCase } from '../network/cases/catalogue.ts'
import { tapRule } from '../plant/tap-changers.ts'

const tenth = 'expected a multiple of 0.1'
/** Seconds of simulated time from the start; the engine knows tenths of them. */
const seconds = z.number().min(0).max(36_000).multipleOf(0.1, tenth)
const text = z.string().min(1).max(2_000)
const short = z.string().min(1).max(200)
const exampleTime = '2026-03-02T08:00:00Z'
const id = z.string().regex(/^[a-z][a-z0-9-]{0,63}$/, 'expected 1 to 64 of a-z, 0-9 and -, a letter first')
const bus = z.int().min(0)
const breaker = short.describe('Such as CB-2-3.')
const hints = z.array(text).max(10).default([]).describe('For trainees, one after the other.')
const exercises = z.array(short).max(10).default([]).describe('ATT&CK techniques (T0855 or T1692.001) and skills.')

/** An order of an operator: exactly one member, `closing` aside. */
const operator = z
  .strictObject(
    optional({
      open: breaker,
      close: breaker,
      closing: z.enum(closings).describe('With close: how it joins two islands.'),
      restore: z
        .strictObject({ ...optional({ bus }), share: z.number().min(0.01).max(1).default(1) })
        .describe('Load that was disconnected returns, at one bus or at all.'),
      machine: z.strictObject({ bus, ...optional({ connected: z.boolean(), p_mw: z.number(), v_pu: z.number() }) }),
      tap: z
        .strictObject({ breaker, position: z.int().min(-tapRule.mostSteps).max(tapRule.mostSteps) })
        .describe("The tap of a transformer, in steps from the case's ratio."),
      load: z.number().min(0.2).max(1.5).describe('Factor on every load.'),
      acknowledge: z.literal('all').describe('Alarms.'),
    }),
  )
  .describe('An order of an operator.')

/** A trip of a protection: exactly one member. */
const fault = z
  .strictObject(
    optional({
      line: short.describe('Such as 2-3.'),
      seconds: z
        .number()
        .min(0.1)
        .max(36_000)
        .describe('How long the fault of the line lasts; without it the line is not closed again by itself.'),
      machine: bus.describe('Its bus.'),
    }),
  )
  .describe('A fault of a line, or a protection that takes a line or a machine off.')

const gridQuantity = z.strictObject(summary).omit({ timestamp: true }).keyof()

/** A statement about the session: exactly one of alarm, no_alarm, breaker, grid, bus, estimate and attack. */
const check = z
  .strictObject(
    optional({
      alarm: z.enum(namesOf(detectors)).describe('The detector has raised one.'),
      no_alarm: z.enum(['any', ...namesOf(detectors)]),
      where: short.describe('The place of the alarm, such as RTU-2.'),
      since: seconds.describe('The alarms from here on count.'),
      breaker,
      is: z.enum(['open', 'closed']),
      grid: gridQuantity,
      bus,
      quantity: z.enum(['vm_pu', 'va_deg']).describe('Of the bus; vm_pu if nothing is said.'),
      of: z
        .enum(['truth', 'measured', 'estimated', 'error'])
        .describe('Truth if nothing is said; error is how far the estimate is from the truth.'),
      estimate: z.enum(['j_share']).describe('J of the last estimate over its limit.'),
      attack: id.describe('Frames that it made, changed or held back.'),
      min: z.number(),
      max: z.number(),
    }),
  )
  .describe('A statement that is true at this moment.')

const entry = z.strictObject({
  at: seconds,
  text: text.describe('For the trainer.'),
  exercises,
  hints,
  ...optional({
    attack: short.describe('The type.'),
    id: id.describe('The name by which checks and questions refer to the attack.'),
    params: z.record(z.string(), z.unknown()),
    link: short.describe('The one link that it acts on.'),
    for: seconds.describe('Seconds until it ends; until the end if nothing is said.'),
    operator,
    fault,
    check,
  }),
})

const background = z.strictObject({
  at: seconds,
  text,
  ...optional({
    every: z.number().min(1).max(36_000).multipleOf(0.1, tenth).describe('Seconds after which it happens again.'),
    until: seconds,
    operator,
    fault,
  }),
})

const answer = z.union([z.string().max(500), z.number(), z.array(z.string().max(200)).max(50)])

const question = z.strictObject({
  ask: text,
  answer: answer.describe('Compared with the labels and the truth of the run.'),
  tolerance: z.number().min(0).default(0).describe('How far an answer that is a number may be off.'),
  ...optional({ choices: z.array(short).min(2).max(10) }),
  hints,
  of: z
    .strictObject(
      optional({
        attack: id,
        member: z
          .enum(['type', 'technique', 'technique_legacy', 'protocol', 'begins', 'ends', 'frames', 'stations', 'source'])
          .describe('Of the attack; begins and ends in seconds from the start.'),
        grid: gridQuantity,
        breakers: z.literal('open'),
        alarm: z.enum(['first', 'detectors']),
        at: seconds.describe('The end if nothing is said.'),
      }),
    )
    .describe('The place of the answer: exactly one of attack, grid, breakers and alarm.'),
})

/** Most questions of a scenario. */
const mostQuestions = 50

/** Most people whose answers a session keeps. */
export const mostPeople = 64

const { day, start_hour: hour, load_scale: scale, load_speed: speed, load_noise: noise } = loadSettings

/** A scenario. */
export const scenarioShape = z.strictObject({
  name: id,
  title: short,
  summary: text.describe('For the trainer: what happens, and what it teaches.'),
  briefing: text.describe('For trainees; it tells nothing of the attacks.'),
  exercises,
  sources: z.array(short).max(20).default([]).describe('Public reports that it follows.'),
  network: z
    .string()
    .min(1)
    .max(63)
    .default(defaultCase)
    .describe('A built-in network, or an imported one by its name.'),
  ...optional({
    tables: NetworkTables.describe('Of an imported network; the service and the command put them there.'),
  }),
  seed: z.int().min(0).max(0xffffffff),
  start: z.iso
    .datetime({ precision: 0, error: `expected a time such as ${exampleTime}` })
    .refine((time) => time >= '1970' && time < '2100', `expected a time from 1970 to 2099, such as ${exampleTime}`)
    .describe('Simulated time of the first step.'),
  duration: z.number().min(1).max(36_000).multipleOf(0.1, tenth).describe('Seconds.'),
  load: z.strictObject(optional({ day, hour, scale, speed, noise })).default({}),
  settings: z.strictObject(optional(engineSettings)).default({}),
  background: z.array(background).max(200).default([]).describe('The ordinary work of a day.'),
  timeline: z.array(entry).min(1).max(500),
  questions: z.array(question).max(mostQuestions).default([]),
})

/** The body of a request that plays one of the library by its name, one as it is written, or a session as it was. */
export const playShape = z.strictObject({
  ...optional({
    name: z.string().min(1).max(64),
    scenario: scenarioShape,
    session: z.unknown().describe('The document of GET /export/session.'),
  }),
  start: z.boolean().default(true).describe('False: it rests until it is started.'),
})

/** The body of a request that hands answers in. */
export const answersShape = z.strictObject({
  answers: z
    .array(z.string().max(500))
    .max(mostQuestions)
    .describe('In the order of the questions, as they were typed; empty where there is none.'),
})

/** A scenario as it is written, with what was left out filled in. */
export type Scenario = z.infer<typeof scenarioShape>
/** An entry of a timeline. */
export type Entry = Scenario['timeline'][number]
/** A statement about the session. */
export type Check = NonNullable<Entry['check']>
/** A question of the exercise. */
export type Question = Scenario['questions'][number]
/** An answer to a question. */
export type ScenarioAnswer = Question['answer']

/** Describes scenarios as JSON Schema, for editors. */
export function scenarioSchema(): Schema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Scenario of the grid simulation of Sluice',
    ...toBodySchema(scenarioShape),
  }
}

function namesOf<Name extends string>(table: Readonly<Record<Name, unknown>>): [Name, ...Name[]] {
  // A table of the program has a row at least, and its keys only.
  return Object.keys(table) as [Name, ...Name[]]
}
