/** The development node: its state, and its controls: blocks, time, snapshots, impersonation, failures, a faucet. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { counted } from '#base/naming.ts'
import { ask } from '../frame/api.ts'
import { Button, Facts, formatNumber, Panel, Problem, State } from '../frame/components.tsx'
import { ConsoleError } from '../frame/errors.ts'
import { Form, type Options, SelectField, TextField } from '../frame/fields.tsx'
import { type Resource, useAction, useResource } from '../frame/resource.ts'
import { operatorToken, sessionKey, setOperatorToken } from '../frame/session.ts'
import { dateTime, duration } from '../frame/time.ts'
import { units } from './funds.ts'
import { useRead } from './gateway.ts'

interface Status {
  readonly height: number
  readonly block_time_ms: number
  readonly chain_time_ms: number
  readonly waiting: number
  readonly mining: { readonly kind: 'auto' | 'manual' | 'interval'; readonly intervalMs?: number }
  readonly profile: string
  readonly chain_id: string
  readonly operator: string
}

/** Results of the methods of this view, each with the members that its method gives. */
type Outcome = Partial<Status> & {
  readonly snapshot?: number
  readonly impersonated?: readonly string[]
  readonly faults?: readonly { readonly method: string; readonly kind: string; readonly times: number }[]
  readonly streams?: readonly unknown[]
}

type Values = Readonly<Record<string, string>>

interface ControlField {
  readonly name: string
  readonly label: string
  readonly hint: string
  /** A whole number from 1, or one with a fraction; text when absent. */
  readonly form?: 'integer' | 'decimal'
  readonly options?: Options
  /** Sent while the field is empty; `own wallet` is the gateway's address. */
  readonly initial?: string
  readonly isOptional?: boolean
}

interface Control {
  readonly title: string
  readonly method: string
  readonly action: string
  readonly fields: readonly ControlField[]
  /** The result in a few words. */
  readonly describe: (outcome: Outcome, values: Values) => string
}

const describeBlock = ({ height = 0, chain_time_ms = 0 }: Outcome) =>
  `block ${formatNumber(height)}, the clock says ${dateTime(chain_time_ms)}`
const bridges = ['hoodi_tt', 'hoodi_tt2', 'sepolia', 'ethereum', 'eth_truf', 'eth_usdc']
const faults = [
  ...['invalid_nonce', 'mempool_full', 'catching_up', 'no_backend', 'connection_refused', 'no_such_host'],
  ...['connection_reset', 'unexpected_eof', 'deadline_exceeded', 'failed_to_estimate_price', 'internal_error'],
  ...['signature_lost', 'vote_lost', 'applied_then_lost'],
]
const wallet: ControlField = {
  name: 'wallet',
  label: 'Wallet',
  hint: "the gateway's own when empty",
  initial: 'own wallet',
}

const controls: readonly Control[] = [
  {
    title: 'Blocks',
    method: 'dev.mine',
    action: 'Mine',
    fields: [{ name: 'blocks', label: 'Blocks', hint: 'how many, 1 when empty', form: 'integer', isOptional: true }],
    describe: describeBlock,
  },
  {
    title: 'Time',
    method: 'dev.increaseTime',
    action: 'Move the clock on',
    fields: [
      { name: 'seconds', label: 'Seconds', hint: 'a day has 86400; the next block has the time', form: 'integer' },
    ],
    describe: describeBlock,
  },
  {
    title: 'Snapshot',
    method: 'dev.snapshot',
    action: 'Take a snapshot',
    fields: [],
    describe: ({ snapshot }) => `snapshot ${snapshot}`,
  },
  {
    title: 'Revert',
    method: 'dev.revert',
    action: 'Revert',
    fields: [{ name: 'snapshot', label: 'Snapshot', hint: 'its number; later ones are forgotten', form: 'integer' }],
    describe: describeBlock,
  },
  {
    title: 'Faucet',
    method: 'dev.setBalance',
    action: 'Set balance',
    fields: [
      {
        name: 'bridge',
        label: 'Token',
        hint: 'hoodi_tt pays fees (TRUF), hoodi_tt2 shares of markets',
        options: bridges,
        initial: 'hoodi_tt',
      },
      wallet,
      { name: 'amount', label: 'Amount', hint: 'in tokens, such as 100', form: 'decimal' },
    ],
    describe: (_, { amount, bridge }) => `${amount} of ${bridge}`,
  },
  {
    title: 'Impersonate',
    method: 'dev.impersonate',
    action: 'Impersonate',
    fields: [{ name: 'wallet', label: 'Wallet', hint: '0x and 40 hex digits' }],
    describe: ({ impersonated = [] }) => `${impersonated.length} impersonated: ${impersonated.join(', ')}`,
  },
  {
    title: 'Fail the next call',
    method: 'dev.failNext',
    action: 'Fail it',
    fields: [
      { name: 'error', label: 'Failure', hint: 'what the caller gets', options: faults, initial: 'mempool_full' },
      { name: 'method', label: 'Method', hint: 'user.broadcast when empty', isOptional: true },
    ],
    describe: ({ faults: set = [] }) =>
      set.map(({ method, kind, times }) => `${method}: ${kind}, ${times} times`).join('; '),
  },
  {
    title: 'Seed network',
    method: 'dev.loadSeedNetwork',
    action: 'Load the seed network',
    fields: [],
    describe: ({ streams = [] }) => `${streams.length} streams`,
  },
]

const tokenName = 'STREAMNET_ADMIN_TOKEN'
const whereItIs = `Not needed once you are signed in by a link. Each start makes another, unless --var ${tokenName}=... gives one; a deployment keeps it as a secret of that name.`

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
        hint={token !== '' ? 'given' : sessionKey.value !== '' ? 'not needed: you are signed in' : whereItIs}
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

interface ControlFormProps {
  readonly control: Control
  readonly token: string
  readonly onDone: () => void
}

function ControlForm({ control, token, onDone }: ControlFormProps): JSX.Element {
  const own = useRead<string | null>('get_current_account')
  const [typed, setTyped] = useState<Values>({})
  const [outcome, setOutcome] = useState<string | null>(null)
  const [isTried, setTried] = useState(false)
  const { isBusy, error, run } = useAction()
  const readValue = ({ name, initial = '' }: ControlField) =>
    typed[name]?.trim() || (initial === 'own wallet' ? (own.data ?? '') : initial)
  const call = async () => {
    setTried(true)
    setOutcome(null)
    if (control.fields.some((field) => findMistake(field, readValue(field)) !== undefined)) return
    const values = Object.fromEntries(control.fields.map((field) => [field.name, readValue(field)]))
    const result = await callNode<Outcome>(token, control.method, makeParams(control, values))
    setOutcome(control.describe(result, values))
    onDone()
  }
  return (
    <Panel title={control.title}>
      <Form onSubmit={() => run(call)}>
        {control.fields.map((field) => {
          const { name, label, hint, options } = field
          const onValue = (text: string) => setTyped({ ...typed, [name]: text })
          return options === undefined ? (
            <TextField
              key={name}
              label={label}
              hint={hint}
              error={isTried ? findMistake(field, readValue(field)) : undefined}
              value={typed[name] ?? ''}
              onValue={onValue}
            />
          ) : (
            <SelectField
              key={name}
              label={label}
              hint={hint}
              options={options}
              value={readValue(field)}
              onValue={onValue}
            />
          )
        })}
        <Button type="submit" disabled={isBusy}>
          {control.action}
        </Button>
        {outcome === null ? null : <State tone="good">done: {outcome}</State>}
        <Problem error={error} />
      </Form>
    </Panel>
  )
}

/** The mistake in a value; a number that JSON cannot say would pass for one that is left out. */
function findMistake({ form, isOptional }: ControlField, value: string): string | undefined {
  if (value === '') return isOptional === true ? undefined : 'expected a value'
  if (form === 'integer') return /^[1-9]\d{0,14}$/.test(value) ? undefined : 'expected a whole number, 1 at least'
  if (form === 'decimal') return /^\d{1,15}(\.\d{1,18})?$/.test(value) ? undefined : 'expected a number of tokens'
  return undefined
}

function makeParams({ fields }: Control, values: Values): Readonly<Record<string, string | number>> {
  const given = fields.flatMap(({ name, form }) => {
    const value = values[name] ?? ''
    if (value === '') return []
    if (form === 'decimal') return [[name, units(values.bridge ?? '', value)] as const]
    return [[name, form === 'integer' ? Number(value) : value] as const]
  })
  return Object.fromEntries(given)
}

interface Answer<T> {
  readonly result: T
  readonly error?: { readonly message: string }
}

async function callNode<T>(token: string, method: string, params: object): Promise<T> {
  const answer = await ask<Answer<T>>('streamnet', '/streamnet/admin/rpc/v1', {
    method: 'POST',
    ...((token !== '' || sessionKey.peek() === '') && { token: { name: tokenName, value: token } }),
    body: { jsonrpc: '2.0', id: 1, method, params },
  })
  if (answer.error !== undefined) throw new ConsoleError(answer.error.message, { status: 200 })
  return answer.result
}
