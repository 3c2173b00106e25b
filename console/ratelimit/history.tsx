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

function Revisions({ status, onChange }: { readonly status: Status; readonly onChange: () => void }) {
  const { revision: newest, revisions, lastError } = status
  const [chosen, setChosen] = useState<Revision | null>(null)
  const { error, run } = useAction()
  const rollBack = (revision: number) =>
    run(() =>
      ask('ratelimit', '/ratelimit/config/rollback', {
        method: 'POST',
        body: { revision },
        headers: { from: 'console' },
      }).finally(onChange),
    )
  const sorted = [...revisions].sort((one, other) => other.revision - one.revision)
  return (
    <Panel title="Revisions">
      <Problem error={error} />
      {lastError === null ? null : (
        <p class="problem">
          <State tone="attention">
            Refused {dateTime(lastError.at)}, from {lastError.who}
          </State>{' '}
          <span class="mono">
            {lastError.mistakes[0]?.file} line {lastError.mistakes[0]?.line}
          </span>
          : {lastError.mistakes[0]?.message}
        </p>
      )}
      {sorted.length === 0 ? (
        <Empty title="No rules were ever accepted">
          <p>
            <a href="/console/ratelimit/rules">Write rules</a> and publish them.
          </p>
        </Empty>
      ) : null}
      <ol class="revisions">
        {sorted.map((one) => (
          <li key={one.revision}>
            <div>
              <h3>
                Revision {one.revision} {one.revision === newest ? <small>runs</small> : null}
              </h3>
              <p class="quiet">
                {one.restored === undefined ? '' : `rolled back to revision ${one.restored}, `}
                {dateTime(one.at)}, {duration((now.value - one.at) / 1000)} ago, by {one.who}
              </p>
              {one.revision === newest ? null : (
                <Button onClick={() => setChosen(one)}>Roll back to {one.revision}</Button>
              )}
            </div>
            <details open={one.revision === newest && one.changes.rules.length <= 12}>
              <summary>
                {counted(one.changes.rules.length, 'rule')}, {filesText(one.changes)}
              </summary>
              <ChangeList changes={one.changes} />
            </details>
          </li>
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

function filesText({ files }: Changes): string {
  const parts = (['added', 'changed', 'removed'] as const).flatMap((kind) =>
    files[kind].length === 0 ? [] : [`${counted(files[kind].length, 'file')} ${kind}`],
  )
  return parts.join(', ') || 'no file changed'
}
