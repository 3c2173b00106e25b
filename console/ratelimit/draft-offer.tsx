/** A draft that began from another revision than the one that runs: what it would change, and the choice. */

import type { JSX } from 'preact'
import { Button, Panel, State } from '../frame/components.tsx'
import { type Draft, type Files, findClashes, keepDraft, makeDraft, withEdits } from './draft.ts'

interface DraftOfferProps {
  readonly draft: Draft
  /** The revision that runs; 0 before the first rules. */
  readonly revision: number
  readonly running: Files
}

/** The offer; nothing is published by either choice. */
export function DraftOffer({ draft, revision, running }: DraftOfferProps): JSX.Element {
  const clashes = findClashes(draft, running)
  const take = () => keepDraft(makeDraft(revision, running, withEdits(draft, running)))
  return (
    <Panel title="Draft">
      <div class="stack">
        <p>
          <State tone="attention">
            You edited revision {draft.revision}, and revision {revision} runs now.
          </State>{' '}
          Your edits are kept and not published.
        </p>
        <ul aria-label="Edited files">
          {Object.entries(draft.edits).map(([name, { before, after }]) => (
            <li key={name}>
              <span class="mono">{name}</span> {after === null ? 'removed' : before === null ? 'added' : 'edited'}
              {clashes.includes(name) ? (
                <>
                  {' '}
                  <State tone="attention">
                    changed in revision {revision} too: your text would take the place of that
                  </State>
                </>
              ) : null}
            </li>
          ))}
        </ul>
        <p class="quiet">
          Going on shows your edits as a difference to revision {revision}. Nothing is published before you do so.
        </p>
        <div class="row">
          <Button kind="primary" onClick={take}>
            Go on with the draft
          </Button>
          <Button onClick={() => keepDraft(null)}>Discard the draft</Button>
        </div>
      </div>
    </Panel>
  )
}
