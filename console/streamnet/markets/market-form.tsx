/** The form that asks a question about a stream, which makes a market. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Stream } from '#gateway/contract/results.ts'
import { Panel, Problem, State } from '../../frame/components.tsx'
import { type Mistake, mistakeAt, readMistakes } from '../../frame/errors.ts'
import { Form, SelectField, TextField } from '../../frame/fields.tsx'
import { formatNumber } from '../../frame/number.ts'
import { useAction } from '../../frame/resource.ts'
import { navigate, route } from '../../frame/router.ts'
import { useOwnFunds } from '../funds.ts'
import { mostStreams, useRead } from '../gateway.ts'
import type { StreamPlace } from '../name-book.ts'
import { SendButton } from '../send-button.tsx'
import { describeQuestion, questionKinds } from './question.ts'
import { createMarket, type Draft, findStreams, type Kind, operations, readDraft } from './question-draft.ts'

/** The fee of a market in TRUF. */
const creationFee = 2

const collaterals = [
  ['testnet_b', 'testnet_b (test tokens)'],
  ['eth_stable', 'eth_stable (USDC)'],
  ['eth_main', 'eth_main (TRUF)'],
] as const

/** The form. */
export function MarketForm(): JSX.Element {
  const streams = useRead<readonly Stream[]>('list_streams', { limit: mostStreams })
  const [draft, setDraft] = useState<Draft>({
    stream: route.value.query.get('about') ?? '',
    kind: 'above',
    bounds: {},
    date: '',
    collateral: 'testnet_b',
  })
  const { isBusy, error, run } = useAction()
  const found = findStreams(draft.stream, streams.data ?? [])
  const ready = readDraft(draft, found)
  const create = async () => {
    if (ready === null) return
    const market = await createMarket(ready, draft)
    if (market !== undefined) navigate(`/console/streams/markets/${market.id}`)
  }
  return (
    <Panel title="Ask a question">
      <Form onSubmit={() => run(create)}>
        <QuestionFields
          draft={draft}
          streamError={draft.stream === '' || streams.data === undefined ? undefined : describeMiss(found)}
          mistakes={readMistakes(error)}
          onChange={(part) => setDraft((before) => ({ ...before, ...part }))}
        />
        {ready === null ? null : (
          <p>
            <strong>{describeQuestion({ ...ready, type: ready.kind, action: '' })}</strong>
          </p>
        )}
        <FeeLines bridge={draft.collateral === 'testnet_b' ? 'hoodi_tt' : 'eth_truf'} />
        <div class="row">
          <SendButton isBusy={isBusy} disabled={ready === null}>
            Ask the question
          </SendButton>
        </div>
      </Form>
      <Problem error={error} />
    </Panel>
  )
}

interface QuestionFieldsProps {
  readonly draft: Draft
  readonly streamError: string | undefined
  readonly mistakes: readonly Mistake[]
  /** Changes parts of the draft as it is then. */
  readonly onChange: (part: Partial<Draft>) => void
}

function QuestionFields({ draft, streamError, mistakes, onChange }: QuestionFieldsProps): JSX.Element {
  const { stream, kind, bounds, date, collateral } = draft
  return (
    <div class="write">
      <TextField
        label="Stream"
        hint="its name or its id"
        error={streamError}
        value={stream}
        placeholder="eggs"
        onValue={(text) => onChange({ stream: text })}
      />
      <SelectField
        label="Will its value be"
        options={questionKinds}
        value={kind}
        // The options are the kinds.
        onValue={(value) => onChange({ kind: value as Kind })}
      />
      {Object.entries(operations[kind].bounds).map(([name, label]) => (
        <TextField
          key={name}
          label={label}
          hint="a decimal"
          error={mistakeAt(mistakes, name)}
          inputMode="decimal"
          value={bounds[name] ?? ''}
          onValue={(text) => onChange({ bounds: { ...bounds, [name]: text.trim() } })}
        />
      ))}
      <TextField
        label="On the day"
        hint="such as 2026-12-24, with a time such as 2026-12-24T18:00Z, or Unix seconds"
        error={mistakeAt(mistakes, 'timestamp') ?? mistakeAt(mistakes, 'settle_time')}
        value={date}
        onValue={(text) => onChange({ date: text })}
      />
      <SelectField
        label="Collateral"
        hint="the tokens that shares are paid with"
        options={collaterals}
        value={collateral}
        onValue={(value) => onChange({ collateral: value })}
      />
    </div>
  )
}

/** The fee of a market, and the tokens that the gateway's wallet has for it on a bridge. */
function FeeLines({ bridge }: { readonly bridge: string }): JSX.Element {
  const { data: funds } = useOwnFunds(bridge)
  return (
    <>
      <p class="quiet">
        Asking costs {creationFee} TRUF; the gateway's wallet has {funds == null ? '…' : formatNumber(funds, 2)}.
      </p>
      {funds != null && funds < creationFee ? (
        <p>
          <State tone="attention">Too few TRUF</State> The faucet on the{' '}
          <a href="/console/streams/development">development tab</a> gives test tokens.
        </p>
      ) : null}
    </>
  )
}

function describeMiss({ length }: readonly StreamPlace[]): string | undefined {
  if (length === 1) return undefined
  return length === 0 ? 'there is none of this name or id' : `${length} have this name: give OWNER/ID of one`
}
