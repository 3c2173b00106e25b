/** The development node's own controls: blocks, time, snapshots, impersonation, failures, a faucet. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { ask } from '../frame/api.ts'
import { Button, Panel, Problem, State } from '../frame/components.tsx'
import { ConsoleError } from '../frame/errors.ts'
import { Form, TextField } from '../frame/fields.tsx'
import { useAction } from '../frame/resource.ts'
import { operatorToken, sessionKey, setOperatorToken } from '../frame/session.ts'

interface Control {
  readonly title: string
  readonly method: string
  readonly action: string
  readonly fields: readonly { readonly name: string; readonly hint: string; readonly isNumber?: boolean }[]
}

const controls: readonly Control[] = [
  {
    title: 'Blocks',
    method: 'dev.mine',
    action: 'Mine',
    fields: [{ name: 'blocks', hint: 'how many; 1 when empty', isNumber: true }],
  },
  {
    title: 'Time',
    method: 'dev.increaseTime',
    action: 'Move the clock on',
    fields: [{ name: 'seconds', hint: 'by so many seconds', isNumber: true }],
  },
  { title: 'Snapshot', method: 'dev.snapshot', action: 'Take a snapshot', fields: [] },
  {
    title: 'Revert',
    method: 'dev.revert',
    action: 'Revert',
    fields: [{ name: 'snapshot', hint: "a snapshot's number", isNumber: true }],
  },
  {
    title: 'Impersonate',
    method: 'dev.impersonate',
    action: 'Impersonate',
    fields: [{ name: 'wallet', hint: '0x and 40 hex digits' }],
  },
  {
    title: 'Fail the next call',
    method: 'dev.failNext',
    action: 'Fail it',
    fields: [
      { name: 'error', hint: 'such as timeout or mempool_full' },
      { name: 'method', hint: 'user.broadcast when empty' },
    ],
  },
  {
    title: 'Faucet',
    method: 'dev.setBalance',
    action: 'Set balance',
    fields: [
      { name: 'bridge', hint: 'such as hoodi_tt2' },
      { name: 'wallet', hint: '0x and 40 hex digits' },
      { name: 'amount', hint: 'in the smallest unit' },
    ],
  },
  { title: 'Seed network', method: 'dev.loadSeedNetwork', action: 'Load the seed network', fields: [] },
]

const tokenName = 'STREAMNET_ADMIN_TOKEN'
const whereItIs = `Not needed once you are signed in by a link. Each start makes another, unless --var ${tokenName}=... gives one; a deployment keeps it as a secret of that name.`

/** The view. */
export function Development(): JSX.Element {
  const token = operatorToken.value
  return (
    <div class="stack">
      <TextField
        label="Operator's token"
        hint={token !== '' ? 'given' : sessionKey.value !== '' ? 'not needed: you are signed in' : whereItIs}
        type="password"
        autocomplete="off"
        value={token}
        onValue={setOperatorToken}
      />
      <div class="controls-grid">
        {controls.map((control) => (
          <ControlForm key={control.method} control={control} token={token} />
        ))}
      </div>
    </div>
  )
}

function ControlForm({ control, token }: { readonly control: Control; readonly token: string }): JSX.Element {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const [outcome, setOutcome] = useState<string | null>(null)
  const { error, run } = useAction()
  const call = async () => {
    setOutcome(null)
    const params = Object.fromEntries(
      control.fields
        .filter(({ name }) => (values[name] ?? '') !== '')
        .map(({ name, isNumber }) => [name, isNumber === true ? Number(values[name]) : values[name]]),
    )
    setOutcome(JSON.stringify(await callNode(token, control.method, params)))
  }
  return (
    <Panel title={control.title}>
      <Form onSubmit={() => run(call)}>
        {control.fields.map(({ name, hint }) => (
          <TextField
            key={name}
            label={name}
            hint={hint}
            value={values[name] ?? ''}
            onValue={(text) => setValues({ ...values, [name]: text })}
          />
        ))}
        <Button type="submit">{control.action}</Button>
        {outcome === null ? null : (
          <p class="key">
            <State tone="good">done</State> <code>{outcome}</code>
          </p>
        )}
        <Problem error={error} />
      </Form>
    </Panel>
  )
}

interface Answer {
  readonly result?: unknown
  readonly error?: { readonly message: string }
}

async function callNode(token: string, method: string, params: object): Promise<unknown> {
  const answer = await ask<Answer>('streamnet', '/streamnet/admin/rpc/v1', {
    method: 'POST',
    ...((token !== '' || sessionKey.peek() === '') && { token: { name: tokenName, value: token } }),
    body: { jsonrpc: '2.0', id: 1, method, params },
  })
  if (answer.error !== undefined) throw new ConsoleError(answer.error.message, { status: 200 })
  return answer.result
}
