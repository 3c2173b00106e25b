/** The form that asks a question about a stream, which makes a market. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Market, Stream } from '#gateway/contract/results.ts'
import { Button, Panel, Problem, State } from '../../frame/components.tsx'
import { mistakeAt, readMistakes } from '../../frame/errors.ts'
import { Form, SelectField, TextField } from '../../frame/fields.tsx'
import { useAction } from '../../frame/resource.ts'
import { navigate, route } from '../../frame/router.ts'
import { parseSeconds } from '../dates.ts'
import { useOwnFunds } from '../funds.ts'
import { mostStreams, read, useRead, write } from '../gateway.ts'
import { findName, type StreamPlace } from '../name-book.ts'
import { nameOf } from '../stream-name.ts'
import { describeQuestion, type QuestionKind, questionKinds } from './question.ts'

/** The fee of a market in TRUF. */
const creationFee = 2

const collaterals = [
  ['testnet_b', 'testnet_b (test tokens)'],
  ['eth_stable', 'eth_stable (USDC)'],
  ['eth_main', 'eth_main (TRUF)'],
] as const

/** Operations by the kind of question, and the names of its bounds there. */
const operations = {
  above: ['create_price_above_threshold_market', ['threshold']],
  below: ['create_price_below_threshold_market', ['threshold']],
  between: ['create_value_in_range_market', ['min_value', 'max_value']],
  equals: ['create_value_equals_market', ['target', 'tolerance']],
} as const

const boundLabels = {
  threshold: 'Bound',
  min_value: 'From',
  max_value: 'To',
  target: 'Value',
  tolerance: 'Give or take',
} as const

type Kind = Exclude<QuestionKind, 'unknown'>

/** The form. */
export function MarketForm(): JSX.Element {
  const streams = useRead<readonly Stream[]>('list_streams', { limit: mostStreams })
  const [typed, setTyped] = useState(route.value.query.get('about') ?? '')
  const [kind, setKind] = useState<Kind>('above')
  const [bounds, setBounds] = useState<Readonly<Record<string, string>>>({})
  const [date, setDate] = useState('')
  const [collateral, setCollateral] = useState<string>('testnet_b')
  const { isBusy, error, run } = useAction()
  const mistakes = readMistakes(error)
  const fees = useOwnFunds(collateral === 'testnet_b' ? 'hoodi_tt' : 'eth_truf')
  const found = findStreams(typed, streams.data ?? [])
  const [stream] = found
  const [operation, names] = operations[kind]
  const seconds = Number(parseSeconds(date))
  const values = names.map((name) => bounds[name] ?? '')
  const isReady = found.length === 1 && date !== '' && Number.isSafeInteger(seconds) && !values.includes('')
  const create = async () => {
    if (stream === undefined || !isReady) return
    await write(operation, {
      ...nameOf(stream),
      ...Object.fromEntries(names.map((name) => [name, bounds[name]])),
      timestamp: seconds,
      settle_time: seconds,
      bridge: collateral,
      max_spread: 5,
      min_order_size: 1,
    })
    const [newest] = await read<readonly Market[]>('list_markets', { limit: 1 })
    if (newest !== undefined) navigate(`/console/streams/markets/${newest.id}`)
  }
  return (
    <Panel title="Ask a question">
      <Form onSubmit={() => run(create)}>
        <div class="write">
          <TextField
            label="Stream"
            hint="its name or its id"
            error={typed === '' || streams.data === undefined ? undefined : describeMiss(found)}
            value={typed}
            placeholder="eggs"
            onValue={setTyped}
          />
          <SelectField
            label="Will its value be"
            options={questionKinds}
            value={kind}
            // The options are the kinds.
            onValue={(value) => setKind(value as Kind)}
          />
          {names.map((name) => (
            <TextField
              key={name}
              label={boundLabels[name]}
              hint="a decimal"
              error={mistakeAt(mistakes, name)}
              inputMode="decimal"
              value={bounds[name] ?? ''}
              onValue={(text) => setBounds({ ...bounds, [name]: text.trim() })}
            />
          ))}
          <TextField
            label="On the day"
            hint="such as 2026-12-24, with a time such as 2026-12-24T18:00Z, or Unix seconds"
            error={mistakeAt(mistakes, 'timestamp') ?? mistakeAt(mistakes, 'settle_time')}
            value={date}
            onValue={setDate}
          />
          <SelectField
            label="Collateral"
            hint="the tokens that shares are paid with"
            options={collaterals}
            value={collateral}
            onValue={setCollateral}
          />
        </div>
        {isReady && stream !== undefined ? (
          <p>
            <strong>{describeQuestion({ stream, action: '', type: kind, thresholds: values, at: seconds })}</strong>
          </p>
        ) : null}
        <p class="quiet">
          Asking costs {creationFee} TRUF; the gateway's wallet has {fees.data ?? '…'}.
        </p>
        {fees.data != null && fees.data < creationFee ? (
          <p>
            <State tone="attention">Too few TRUF</State> The faucet on the{' '}
            <a href="/console/streams/development">development tab</a> gives test tokens.
          </p>
        ) : null}
        <div class="row">
          {' '}
          <Button type="submit" kind="primary" disabled={isBusy || !isReady}>
            {isBusy ? 'Waiting for the block' : 'Ask the question'}
          </Button>
        </div>{' '}
      </Form>
      <Problem error={error} />
    </Panel>
  )
}

/** The streams of a name, of an id, or of an owner with an id. */
function findStreams(text: string, streams: readonly Stream[]): readonly StreamPlace[] {
  const wanted = text.trim().toLowerCase()
  const isNamed = (stream: Stream) =>
    [findName(stream), stream.stream_id, `${stream.data_provider}/${stream.stream_id}`].some(
      (name) => name?.toLowerCase() === wanted,
    )
  return wanted === '' ? [] : streams.filter(isNamed)
}

function describeMiss({ length }: readonly StreamPlace[]): string | undefined {
  if (length === 1) return undefined
  return length === 0 ? 'there is none of this name or id' : `${length} have this name: give OWNER/ID of one`
}
