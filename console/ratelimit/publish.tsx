/** Edited rules that are not published yet: the choice where another revision runs, the buttons, and the question before it. */

import type { JSX } from 'preact'
import { counted } from '#base/naming.ts'
import type { Changes } from '#ratelimit/contract/configuration.ts'
import { Button, Panel, State } from '../frame/components.tsx'
import { Confirm } from '../frame/dialog.tsx'
import { ChangeList } from './changes.tsx'
import { type Draft, type Files, findClashes, isUnkept, keepDraft, makeDraft, withEdits } from './draft.ts'

interface PublishRowProps {
  /** The edits; null for none. */
  readonly draft: Draft | null
  /** True where the service has checked these very files, and found no mistakes. */
  readonly isRight: boolean
  /** The revision that was published here and runs; null for none. */
  readonly published: number | null
  readonly onPublish: () => void
}

/** The buttons, and what becomes of the edits. */
export function PublishRow({ draft, isRight, published, onPublish }: PublishRowProps): JSX.Element {
  return (
    <>
      <div class="row">
        <Button kind="primary" disabled={draft === null || !isRight} onClick={onPublish}>
          Publish
        </Button>
        <Button disabled={draft === null} onClick={() => keepDraft(null)}>
          Discard changes
        </Button>
      </div>
      <p class="quiet" role="status">
        {draft === null ? '' : keptText(draft)}
        {draft === null && published !== null ? (
          <State tone="good">Published: revision {published} decides every request now.</State>
        ) : null}
      </p>
    </>
  )
}

function keptText({ edits }: Draft): string {
  const count = Object.keys(edits).length
  const what = `${counted(count, 'file')} ${count === 1 ? 'is' : 'are'} edited and not published. This tab keeps the edits`
  return isUnkept.value
    ? `${what} until you reload it: they are too long to be kept beyond that.`
    : `${what}, also when you open another room or reload.`
}

/** The question before the next revision. */
export function PublishQuestion(props: {
  readonly revision: number
  readonly changes: Changes | undefined
  readonly onConfirm: () => void
  readonly onClose: () => void
}): JSX.Element {
  const { revision, changes, onConfirm, onClose } = props
  return (
    <Confirm title="Publish these rules" action="Publish" onConfirm={onConfirm} onClose={onClose}>
      <p>
        They decide every request from now on, as revision {revision}. History keeps what runs now, and can bring it
        back.
      </p>
      {changes === undefined ? null : <ChangeList changes={changes} />}
    </Confirm>
  )
}

interface DraftOfferProps {
  readonly draft: Draft
  /** The revision that runs; 0 before the first rules. */
  readonly revision: number
  readonly running: Files
}

/** The choice about a draft that began from another revision than the one that runs; neither publishes anything. */
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
