/** The library of scenarios, of which a trainer plays one. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Scenarios } from '#grid/contract/scenario.ts'
import { Button, Skeleton } from '../frame/components.tsx'
import { Confirm } from '../frame/dialog.tsx'
import { useAnswer } from '../frame/resource.ts'

interface LibraryProps {
  readonly base: string
  readonly onPlay: (name: string) => void
}

/** The scenarios, each with a button that plays it after a question. */
export function Library({ base, onPlay }: LibraryProps): JSX.Element {
  const library = useAnswer<Scenarios>('grid', `${base}/scenarios`)
  const [chosen, setChosen] = useState<Scenarios['scenarios'][number] | null>(null)
  if (library.data === undefined) return <Skeleton rows={8} />
  return (
    <>
      <ul class="exercise">
        {library.data.scenarios.map((scenario) => {
          const { name, title, network, duration_s, summary } = scenario
          return (
            <li key={name}>
              <Button label={`Play ${title}`} onClick={() => setChosen(scenario)}>
                Play
              </Button>
              <span>
                <b>{title}</b> <small>{`${network}, ${duration_s} s`}</small>
                <br />
                {summary}
              </span>
            </li>
          )
        })}
      </ul>
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
