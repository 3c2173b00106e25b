/** An exercise as trainees have it: its briefing, and its questions at the end. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { ControlRoomScenario } from '#grid/contract/scenario.ts'
import { Button, Empty, State } from '../frame/components.tsx'
import { SelectField, TextField } from '../frame/fields.tsx'

type Played = NonNullable<ControlRoomScenario['scenario']>
/** Answers of the person at the page, by question. */
export type Given = Readonly<Record<string, string>>

interface BriefingProps {
  readonly played: Played | null
  readonly given: Given
  readonly onGiven: (given: Given) => void
  readonly onHandIn: (answers: readonly string[], onTaken: () => void) => void
}

/** The part of trainees: the briefing, and the questions at the end. */
export function Briefing({ played, given, onGiven, onHandIn }: BriefingProps): JSX.Element {
  const [handed, setHanded] = useState<Given | null>(null)
  if (played === null) {
    return <Empty title="No exercise">The trainer chooses one.</Empty>
  }
  const set = (name: string) => (value: string) => onGiven({ ...given, [name]: value })
  const handIn = () => {
    const answers = played.questions.map(({ ask: text }) => given[text] ?? '')
    onHandIn(answers, () => setHanded(given))
  }
  return (
    <>
      <Progress played={played} />
      <p>{played.briefing}</p>
      {played.finished ? null : <p class="quiet">The questions come at the end.</p>}
      {(played.finished ? played.questions : []).map(({ ask: text, choices }) =>
        choices === undefined ? (
          <TextField key={text} label={text} value={given[text] ?? ''} onValue={set(text)} />
        ) : (
          <SelectField
            key={text}
            label={text}
            options={[['', ''], ...choices.map((one) => [one, one] as const)]}
            value={given[text] ?? ''}
            onValue={set(text)}
          />
        ),
      )}
      {played.finished && played.questions.length > 0 ? (
        <p class="row">
          <Button onClick={handIn}>Hand in</Button>
          {handed === given ? <State tone="good">The trainer has the answers</State> : null}
        </p>
      ) : null}
    </>
  )
}

/** The seconds of the exercise that have passed. */
export function Progress({ played }: { readonly played: Played }): JSX.Element {
  const { at_s, duration_s, finished } = played
  return (
    <State tone={finished ? 'good' : 'normal'}>
      {finished ? 'Finished' : `${Math.floor(at_s)} of ${duration_s} s`}
    </State>
  )
}
