/** The view of the development node for its operator: the state of the node, and a form for each control. */

import type { JSX } from 'preact'
import { counted } from '#base/naming.ts'
import { Facts, Panel } from '../../frame/components.tsx'
import { TextField } from '../../frame/fields.tsx'
import { formatNumber } from '../../frame/number.ts'
import { type Resource, useResource } from '../../frame/resource.ts'
import { operatorToken, sessionKey, setOperatorToken } from '../../frame/session.ts'
import { dateTime, duration } from '../../frame/time.ts'
import { ControlForm } from './control-form.tsx'
import { controls } from './controls.ts'
import { callNode, type Status, tokenName } from './node.ts'

const whereTokenIs = `Not needed once you are signed in by a link. Each start makes another, unless --var ${tokenName}=... gives one; a deployment keeps it as a secret of that name.`

/** The view. */
export function Development(): JSX.Element {
  const token = operatorToken.value
  const isAllowed = token !== '' || sessionKey.value !== ''
  const status = useResource(
    async () => (isAllowed ? callNode<Status>(token, 'dev.status', {}) : null),
    `status ${token} ${isAllowed}`,
    3_000,
  )
  return (
    <div class="stack">
      <TextField
        label="Operator's token"
        hint={token !== '' ? 'given' : sessionKey.value !== '' ? 'not needed: you are signed in' : whereTokenIs}
        type="password"
        autocomplete="off"
        value={token}
        onValue={setOperatorToken}
      />
      <NodeState status={status} />
      <div class="controls-grid">
        {controls.map((control) => (
          <ControlForm key={control.method} control={control} token={token} onDone={status.reload} />
        ))}
      </div>
    </div>
  )
}

function NodeState({ status: { data, error } }: { readonly status: Resource<Status | null> }): JSX.Element {
  if (data == null || error !== undefined)
    return (
      <p class="quiet">The state of the node is shown to its operator: {error?.message ?? 'give the token above'}.</p>
    )
  const { height, block_time_ms, chain_time_ms, waiting, mining, profile, chain_id, operator } = data
  const ahead = (chain_time_ms - Date.now()) / 1000
  return (
    <Panel title="State of the node">
      <Facts
        facts={[
          ['Newest block', <a href={`/console/streams/chain?block=${height}`}>{formatNumber(height)}</a>],
          ['Its time', dateTime(block_time_ms)],
          ['Clock', `${dateTime(chain_time_ms)}${ahead > 2 ? `, ${duration(ahead)} ahead` : ''}`],
          ['Waiting', counted(waiting, 'transaction')],
          ['Makes blocks', describeMining(mining)],
          ['Profile', profile],
          ['Chain', chain_id],
          ['Operator', <span class="mono">{operator}</span>],
        ]}
      />
    </Panel>
  )
}

function describeMining({ kind, intervalMs = 0 }: Status['mining']): string {
  if (kind === 'auto') return 'with every transaction'
  return kind === 'manual' ? 'when asked' : `every ${intervalMs / 1000} s`
}
