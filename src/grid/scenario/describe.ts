/** Scenarios as the interface answers them: the library, and the one that a session plays. */

import type { Scenario as Answer, ControlRoomScenario, HandedIn, Scenarios } from '../contract/scenario.ts'
import { GridError } from '../errors.ts'
import { findScenario, scenarioNames } from './library.ts'
import { secondsOf, stepAt } from './orders.ts'
import type { CheckedScenario } from './session.ts'
import type { Entry, Question } from './shape.ts'

/** Lists the scenarios of the library. */
export function listScenarios(): Scenarios {
  const scenarios = scenarioNames.map((name) => {
    const { title, summary, network, duration: duration_s, exercises } = findScenario(name).scenario
    return { name, title, summary, network, duration_s, exercises }
  })
  return { count: scenarios.length, scenarios }
}

/** Describes the scenario of a session to the trainer, in the order of its moments, after so many steps. */
export function describeScenario(
  checked: CheckedScenario | null,
  step: number,
  handedIn: readonly HandedIn[] = [],
): Answer {
  if (checked === null) return { name: null, scenario: null }
  const { name, title, summary, briefing, timeline, questions } = checked.scenario
  return {
    name,
    scenario: {
      title,
      summary,
      briefing,
      ...progressOf(checked, step),
      timeline: timeline
        .toSorted((one, other) => one.at - other.at)
        .map((entry) => describeEntry(entry, checked, step)),
      questions: questions.map((question) => {
        const { answer, tolerance, hints } = question
        return { ...ask(question), answer, tolerance, hints }
      }),
      handed_in: handedIn,
    },
  }
}

/** Describes it to the control room: nothing of its attacks, and no question before its end. */
export function describeToTrainees(checked: CheckedScenario | null, step: number): ControlRoomScenario {
  if (checked === null) return { scenario: null }
  const { briefing, questions } = checked.scenario
  const progress = progressOf(checked, step)
  return { scenario: { briefing, ...progress, questions: progress.finished ? questions.map(ask) : [] } }
}

/**
 * Tests that answers may be handed in now, and gives them as they are kept.
 *
 * @throws GridError out_of_order when the session plays no scenario, or one that is not at its end.
 * @throws GridError invalid_request when there are more answers than questions.
 */
export function takeAnswers(checked: CheckedScenario | null, step: number, handedIn: HandedIn): HandedIn {
  const action = 'Cannot hand answers in'
  if (checked === null) throw new GridError('out_of_order', `${action}: the session plays no scenario`)
  if (step < checked.session.steps) {
    throw new GridError('out_of_order', `${action}: the scenario is not at its end, where its questions are`)
  }
  const { length } = checked.scenario.questions
  if (handedIn.answers.length <= length) return handedIn
  const state = `${handedIn.answers.length} answers, and the scenario has ${length} questions`
  throw new GridError('invalid_request', `${action}: ${state}`)
}

function progressOf({ session }: CheckedScenario, step: number) {
  return { at_s: secondsOf(step), duration_s: secondsOf(session.steps), finished: step >= session.steps }
}

function ask({ ask: text, choices }: Question) {
  return { ask: text, ...(choices !== undefined && { choices }) }
}

type DescribedEntry = NonNullable<Answer['scenario']>['timeline'][number]

function describeEntry(entry: Entry, { session, attackIds }: CheckedScenario, step: number): DescribedEntry {
  const { at, text, exercises, hints, attack, id } = entry
  const kind = (['attack', 'operator', 'fault'] as const).find((name) => entry[name] !== undefined) ?? 'check'
  const begins = stepAt(at)
  const attackId = id === undefined ? undefined : attackIds.get(id)
  return {
    at_s: at,
    kind,
    text,
    exercises,
    hints,
    // A check is of the end of its step.
    passed: kind === 'check' ? begins <= step : begins < step,
    ...(attack !== undefined && {
      attack,
      until_s: secondsOf(entry.for === undefined ? session.steps : begins + stepAt(entry.for)),
    }),
    ...(attackId !== undefined && { attack_id: attackId }),
  }
}
