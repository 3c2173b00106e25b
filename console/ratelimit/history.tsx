/** History: every revision of the rules that is kept, who made it, and the way back to it. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { counted } from '#base/naming.ts'
import type { Changes, Revision, Status } from '#ratelimit/contract/configuration.ts'
import { ask } from '../frame/api.ts'
import { Button, Empty, Panel, Problem, State } from '../frame/components.tsx'
import { Confirm } from '../frame/dialog.tsx'
import { Loaded } from '../frame/loaded.tsx'
import { useAction, useAnswer } from '../frame/resource.ts'
import { dateTime, duration, now } from '../frame/time.ts'
import { ChangeList } from './changes.tsx'

/** The view of the revisions of the rules. */
export function History(): JSX.Element {
  const status = useAnswer<Status>('ratelimit', '/ratelimit/config', 5_000)
  return (
    <Loaded of={status} rows={8}>
      {(data) => <Revisions status={data} onChange={status.reload} />}
    </Loaded>
  )
}

function Revisions(props: { readonly status: Status; readonly onChange: () => void }): JSX.Element {
  const {
    status: { revision: newest, revisions, lastError },
    onChange,
  } = props
  const [chosen, setChosen] = useState<Revision | null>(null)
  const { error, run } = useAction()
  const rollBack = (revision: number) => {
    const request = { method: 'POST', body: { revision }, headers: { from: 'console' } } as const
    run(() => ask('ratelimit', '/ratelimit/config/rollback', request).finally(onChange))
  }
  const sorted = [...revisions].sort((one, other) => other.revision - one.revision)
  return (
    <Panel title="Revisions">
      <Problem error={error} />
      {lastError === null ? null : <LastRefusal refusal={lastError} />}
      {sorted.length === 0 ? (
        <Empty title="No rules were ever accepted">
          <a href="/console/ratelimit/rules">Write rules</a> and publish them.
        </Empty>
      ) : null}
      <ol class="revisions">
        {sorted.map((one) => (
          <RevisionItem
            key={one.revision}
            revision={one}
            isNewest={one.revision === newest}
            onRollBack={() => setChosen(one)}
          />
        ))}
      </ol>
      {chosen === null ? null : (
        <Confirm
          title={`Roll back to revision ${chosen.revision}`}
          action={`Roll back to ${chosen.revision}`}
          onConfirm={() => rollBack(chosen.revision)}
          onClose={() => setChosen(null)}
        >
          <p>
            The files of revision {chosen.revision} decide every request from now on, as revision {newest + 1}. Nothing
            is removed from the history.
          </p>
        </Confirm>
      )}
    </Panel>
  )
}

/** The rules that were refused last, by their first mistake. */
function LastRefusal({ refusal }: { readonly refusal: NonNullable<Status['lastError']> }): JSX.Element {
  const { at, who, mistakes } = refusal
  const [first] = mistakes
  return (
    <p class="problem">
      <State tone="attention">
        Refused {dateTime(at)}, from {who}
      </State>{' '}
      <span class="mono">
        {first?.file} line {first?.line}
      </span>
      : {first?.message}
    </p>
  )
}

/** Most rules of the newest revision that are listed without a click. */
const mostOpened = 12

interface RevisionItemProps {
  readonly revision: Revision
  readonly isNewest: boolean
  readonly onRollBack: () => void
}

function RevisionItem({ revision: one, isNewest, onRollBack }: RevisionItemProps): JSX.Element {
  const { revision, restored, at, who, changes } = one
  return (
    <li>
      <div>
        <h3>
          Revision {revision} {isNewest ? <small>runs</small> : null}
        </h3>
        <p class="quiet">
          {restored === undefined ? '' : `rolled back to revision ${restored}, `}
          {dateTime(at)}, {duration((now.value - at) / 1000)} ago, by {who}
        </p>
        {isNewest ? null : <Button onClick={onRollBack}>Roll back to {revision}</Button>}
      </div>
      <details open={isNewest && changes.rules.length <= mostOpened}>
        <summary>
          {counted(changes.rules.length, 'rule')}, {filesText(changes)}
        </summary>
        <ChangeList changes={changes} />
      </details>
    </li>
  )
}

function filesText({ files }: Changes): string {
  const parts = (['added', 'changed', 'removed'] as const).flatMap((kind) =>
    files[kind].length === 0 ? [] : [`${counted(files[kind].length, 'file')} ${kind}`],
  )
  return parts.join(', ') || 'no file changed'
}
