/** Plays a scenario from start to end: its files, its checks, and the answers to its questions. */

import type { SessionDocument } from '../configuration.ts'
import { type CaptureLimits, computeRun, type Piece, type RunCounts } from '../dataset/run.ts'
import { gridSummary, type World } from '../engine.ts'
import { findNetwork } from '../network/find-network.ts'
import { planTelecontrol } from '../telecontrol/plan-telecontrol.ts'
import type { Telecontrol } from '../telecontrol/telecontrol.ts'
import { type AttackTruth, deriveAnswer, isRight, openAttackLedger } from './answers.ts'
import { type RaisedAlarm, testCheck } from './checks.ts'
import { secondsOf, stepAt } from './orders.ts'
import type { CheckedScenario } from './session.ts'
import type { Question, Scenario, ScenarioAnswer } from './shape.ts'

/** A check with its result. */
export interface CheckResult {
  /** Seconds from the start. */
  readonly at: number
  readonly text: string
  readonly passed: boolean
  /** The value that was found, and what was expected. */
  readonly found: string
}

/** A question with the answer that is written and the one that the run gives. */
export interface QuestionResult {
  readonly ask: string
  readonly answer: ScenarioAnswer
  /** Null where the run has none. */
  readonly derived: ScenarioAnswer | null
  readonly passed: boolean
}

/** The result of a run of a scenario. */
export interface ScenarioResult {
  readonly scenario: string
  /** True when every check and every answer is right. */
  readonly passed: boolean
  readonly checks: readonly CheckResult[]
  readonly questions: readonly QuestionResult[]
  readonly attacks: readonly AttackTruth[]
  /** Alarms of the control centre, with their times in seconds from the start. */
  readonly alarms: readonly RaisedAlarm[]
  readonly counts: RunCounts
  /** The session, which computes each octet again. */
  readonly session: SessionDocument
}

/** A session to play, with the checks and questions of its scenario; the document of a session has none of them. */
export interface Playable extends Pick<CheckedScenario, 'attackIds'> {
  readonly scenario: Pick<Scenario, 'name' | 'duration' | 'timeline' | 'questions'>
  readonly session: SessionDocument
}

/** Computes a scenario, and yields the files of its run as `computeRun` does, under its name. */
export function* playScenario(
  { scenario, session, attackIds }: Playable,
  limits: CaptureLimits,
): Generator<Piece, ScenarioResult> {
  const { configuration, commands, steps } = session
  const network = findNetwork(configuration)
  const plan = planTelecontrol(network)
  const names = new Map([...attackIds].map(([name, id]) => [id, name]))
  const ledger = openAttackLedger(plan, names, startOf(session))
  const alarms: RaisedAlarm[] = []
  const takeAlarms = openAlarmReader(alarms)
  const checks: CheckResult[] = []
  const observed = new Map<Question, ScenarioAnswer>()

  function testDue(world: World): void {
    const due = scenario.timeline.filter(({ check, at }) => check !== undefined && stepAt(at) === world.step)
    if (due.length === 0) return
    const attackFrames = new Map(ledger.list().map((attack) => [attack.id ?? attack.attack_id, attack.frames]))
    const moment = { world, network, plan, alarms, attackFrames }
    for (const { at, text, check } of due) {
      if (check !== undefined) checks.push({ at, text, ...testCheck(check, moment) })
    }
  }

  function observeDue(world: World): void {
    for (const question of scenario.questions) {
      if (stepAt(question.of.at ?? scenario.duration) !== world.step) continue
      const value = observe(question, world, plan)
      if (value !== undefined) observed.set(question, value)
    }
  }

  const counts = yield* computeRun({ id: scenario.name, configuration, commands, steps }, limits, {
    frame: ledger.add,
    step(_, world) {
      takeAlarms(world)
      testDue(world)
      observeDue(world)
    },
  })
  const attacks = ledger.list()
  const questions = scenario.questions.map((question) =>
    answer(question, deriveAnswer(question, { attacks, alarms, observed })),
  )
  const passed = [...checks, ...questions].every((one) => one.passed)
  return { scenario: scenario.name, passed, checks, questions, attacks, alarms, counts, session }
}

/** The simulated time of the first step; a session that the wall clock started has it in its log. */
function startOf({ configuration, commands }: SessionDocument): number {
  const clock = commands.find((one) => one.kind === 'clock')
  return clock?.timeUs ?? (configuration.start_time ?? 0) * 1e6
}

/** Makes a function that adds the alarms of each step to a list, with the time of the step. */
function openAlarmReader(alarms: RaisedAlarm[]): (world: World) => void {
  let taken = 0
  return ({ view, step }) => {
    // Most steps raise none.
    if (view.alarmCount === taken) return
    for (const { detector, where } of view.alarms.slice(taken - view.alarmCount)) {
      alarms.push({ atS: secondsOf(step - 1), detector, where })
    }
    taken = view.alarmCount
  }
}

function observe({ of }: Question, world: World, { breakerNames }: Telecontrol): ScenarioAnswer | undefined {
  if (of.grid !== undefined) return gridSummary(world)[of.grid]
  if (of.breakers === undefined) return undefined
  return world.plant.open.map((branch) => breakerNames.get(branch) ?? '').sort()
}

function answer(question: Question, derived: ScenarioAnswer | undefined): QuestionResult {
  const passed = derived !== undefined && isRight(question, question.answer, derived)
  return { ask: question.ask, answer: question.answer, derived: derived ?? null, passed }
}
