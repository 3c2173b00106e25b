/** The sheet of an exercise: for trainers its timeline and the debrief, for trainees the briefing and the questions. */

import type { ComponentChildren, JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { ControlRoomScenario, Scenario } from '#grid/contract/scenario.ts'
import { Button, Problem, Skeleton, State } from '../frame/components.tsx'
import { useAction, useAnswer } from '../frame/resource.ts'
import { isRight, showAnswer } from './answers.ts'
import { Briefing, type Given, Progress } from './briefing.tsx'
import { Library } from './library.tsx'
import { order } from './requests.ts'

interface ExerciseProps {
  readonly base: string
  readonly isTrainee: boolean
  readonly given: Given
  readonly onGiven: (given: Given) => void
  /** The simulation has another session. */
  readonly onChange: () => void
  /** Shows the trainees' view, or the trainer's. */
  readonly onView: (isTrainee: boolean) => void
}

/** The content of the sheet. */
export function Exercise({ base, isTrainee, given, onGiven, onChange, onView }: ExerciseProps): JSX.Element {
  const answer = useAnswer<Scenario | ControlRoomScenario>('grid', `${base}/scenario`, 1_000)
  const [isPicking, setPicking] = useState(false)
  const { error, run } = useAction()
  const begin = (path: string, body?: object) =>
    run(async () => {
      await order(base, path, body)
      onGiven({})
      setPicking(false)
      answer.reload()
      onChange()
    })
  const handIn = (answers: readonly string[], onTaken: () => void) =>
    run(() => order(base, 'scenario/answers', { answers }).then(onTaken))
  if (answer.data === undefined)
    return answer.error === undefined ? <Skeleton rows={6} /> : <Problem error={answer.error} />
  const played = answer.data.scenario
  // Only the answer to a trainer names the scenario and has its timeline.
  const whole = 'name' in answer.data ? answer.data.scenario : undefined
  if (isTrainee || whole === undefined) {
    return (
      <>
        <Problem error={error} />
        <Briefing played={played} given={given} onGiven={onGiven} onHandIn={handIn} />
        {played?.finished === true && whole !== undefined ? (
          <Button kind="primary" onClick={() => onView(false)}>
            Debrief
          </Button>
        ) : null}
      </>
    )
  }
  return (
    <>
      <Problem error={error} />
      {whole === null || isPicking ? (
        <Library base={base} onPlay={(name) => begin('scenario', { name })} />
      ) : (
        <Running played={whole} given={given} onView={onView}>
          <Button onClick={() => begin('sim/reset')}>Restart</Button>
          <Button onClick={() => setPicking(true)}>Choose another</Button>
        </Running>
      )}
    </>
  )
}

interface RunningProps extends Pick<ExerciseProps, 'given' | 'onView'> {
  readonly played: NonNullable<Scenario['scenario']>
  readonly children: ComponentChildren
}

/** The part of the trainer: the timeline, and the debrief. */
function Running({ played, given, onView, children }: RunningProps): JSX.Element {
  return (
    <>
      <div class="row">
        <Progress played={played} />
        <span class="row end">
          <Button onClick={() => onView(true)}>As a trainee</Button>
          {children}
        </span>
      </div>
      <h3>{played.title}</h3>
      <p>{played.summary}</p>
      <ol class="exercise">
        {played.timeline.map(({ at_s, kind, text, passed, exercises, hints }) => (
          <li key={`${at_s} ${text}`} class={passed ? 'passed' : ''}>
            <time>{at_s} s</time>
            <span>
              <b>{kind}</b> {text} <small>{exercises.join(', ')}</small>
              {hints.map((hint) => (
                <small key={hint} class="hint">
                  Hint: {hint}
                </small>
              ))}
            </span>
          </li>
        ))}
      </ol>
      <h3>Debrief</h3>
      {played.questions.map((question, at) => (
        <Debriefed
          key={question.ask}
          question={question}
          given={[
            ...played.handed_in.map(({ name, answers }) => ({ name, text: answers[at] ?? '' })),
            { name: '', text: given[question.ask] ?? '' },
          ]}
        />
      ))}
    </>
  )
}

/** A question with the answers to it, each with a name but that of the person at the page. */
function Debriefed(props: {
  readonly question: NonNullable<Scenario['scenario']>['questions'][number]
  readonly given: readonly { readonly name: string; readonly text: string }[]
}): JSX.Element {
  const { question, given } = props
  return (
    <p>
      <b>{question.ask}</b>
      <br />
      {given
        .filter(({ text }) => text !== '')
        .map(({ name, text }) => {
          const isGood = isRight(question, text)
          return (
            <span key={name}>
              <State tone={isGood ? 'good' : 'bad'}>
                {`${name === '' ? '' : `${name}: `}${isGood ? 'Right:' : 'Answered'} ${text}`}
              </State>{' '}
            </span>
          )
        })}
      The labels say: {showAnswer(question.answer)}
    </p>
  )
}
