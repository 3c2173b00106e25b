/** The library of scenarios, of which a trainer plays one. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Scenarios } from '#grid/contract/scenario.ts'
import { Button } from '../frame/components.tsx'
import { Confirm } from '../frame/dialog.tsx'
import { Loaded } from '../frame/loaded.tsx'
import { useAnswer } from '../frame/resource.ts'

type ListedScenario = Scenarios['scenarios'][number]

/** The scenarios, each with a button that plays it after a question. */
export function Library(props: { readonly base: string; readonly onPlay: (name: string) => void }): JSX.Element {
  const { base, onPlay } = props
  const library = useAnswer<Scenarios>('grid', `${base}/scenarios`)
  const [chosen, setChosen] = useState<ListedScenario | null>(null)
  return (
    <>
      <Loaded of={library} rows={8}>
        {({ scenarios }) => (
          <ul class="exercise">
            {scenarios.map((scenario) => (
              <Choosable key={scenario.name} scenario={scenario} onChoose={() => setChosen(scenario)} />
            ))}
          </ul>
        )}
      </Loaded>
      {chosen === null ? null : (
        <Confirm
          title={`Play ${chosen.title}`}
          action="Begin the exercise"
          onConfirm={() => onPlay(chosen.name)}
          onClose={() => setChosen(null)}
        >
          <p>
            It begins a new session: the one of now ends, with its incidents, frames and alarms. Save exports first.
          </p>
        </Confirm>
      )}
    </>
  )
}

function Choosable(props: { readonly scenario: ListedScenario; readonly onChoose: () => void }): JSX.Element {
  const { title, network, duration_s, summary } = props.scenario
  return (
    <li>
      <Button label={`Play ${title}`} onClick={props.onChoose}>
        Play
      </Button>
      <span>
        <b>{title}</b> <small>{`${network}, ${duration_s} s`}</small>
        <br />
        {summary}
      </span>
    </li>
  )
}
