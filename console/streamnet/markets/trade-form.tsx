/** The form that trades in a market; it says what an order costs and pays before it is sent. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Depth } from '#gateway/contract/results.ts'
import { Panel, Problem, State } from '../../frame/components.tsx'
import { Form, TextField, Toggles } from '../../frame/fields.tsx'
import { useAction } from '../../frame/resource.ts'
import { useOwnFunds } from '../funds.ts'
import { write } from '../gateway.ts'
import { SendButton } from '../send-button.tsx'
import type { MarketInfo } from './question.ts'
import { describePreview, money, type Order, previewOrder, quoteYes } from './trade.ts'

const sides = [
  ['buy', 'Buy'],
  ['sell', 'Sell'],
  ['pair', 'Make pairs'],
] as const

const answers = [
  ['yes', 'Yes'],
  ['no', 'No'],
] as const

/** An order as it is typed. */
interface Draft {
  readonly side: Order['side']
  readonly answer: 'yes' | 'no'
  /** Null until it is typed: the best price of the book. */
  readonly price: string | null
  readonly amount: string
}

/** The form, for the gateway's own wallet. */
export function TradeForm(props: { readonly market: MarketInfo; readonly depths: readonly Depth[] }): JSX.Element {
  const { market, depths } = props
  const [draft, setDraft] = useState<Draft>({ side: 'buy', answer: 'yes', price: null, amount: '10' })
  const [isDone, setDone] = useState(false)
  const { isBusy, error, run } = useAction()
  const bridge = market.bridge ?? ''
  const funds = useOwnFunds(bridge)
  const order = readOrder(draft, depths)
  const isValid = isPrice(order.price) && isAmount(order.amount)
  const preview = previewOrder(order, depths)
  const trade = async () => {
    setDone(false)
    await sendOrder(market.id, order)
    setDone(true)
    funds.reload()
  }
  return (
    <Panel title="Trade">
      <Form onSubmit={() => isValid && run(trade)}>
        <OrderFields draft={draft} order={order} onChange={(part) => setDraft((before) => ({ ...before, ...part }))} />
        {isValid ? (
          <ul aria-label="Before it is sent">
            {describePreview(order, preview).map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        ) : null}
        <FundsLine funds={funds.data} needed={preview.locked / 100} bridge={bridge} />
        <div class="row">
          <SendButton isBusy={isBusy} disabled={!isValid}>
            {describeButton(order, draft.answer)}
          </SendButton>
          {isDone ? <State tone="good">In a block</State> : null}
        </div>
      </Form>
      <Problem error={error} />
    </Panel>
  )
}

function readOrder({ side, answer, price, amount }: Draft, depths: readonly Depth[]): Order {
  const outcome = side === 'pair' || answer === 'yes'
  return {
    side,
    outcome,
    price: price === null ? suggestPrice(outcome, depths) : Number(price),
    amount: Number(amount),
  }
}

const isPrice = (cents: number) => isWhole(cents, 99)
const isAmount = (shares: number) => isWhole(shares, 1e9)

interface OrderFieldsProps {
  readonly draft: Draft
  readonly order: Order
  /** Changes parts of the draft as it is then. */
  readonly onChange: (part: Partial<Draft>) => void
}

function OrderFields({ draft, order, onChange }: OrderFieldsProps): JSX.Element {
  const { side, answer, price, amount } = draft
  const isPair = side === 'pair'
  return (
    <>
      <div class="row">
        <Toggles options={sides} value={side} onValue={(value) => onChange({ side: value })} />
        {isPair ? null : <Toggles options={answers} value={answer} onValue={(value) => onChange({ answer: value })} />}
      </div>
      <div class="write">
        <TextField
          label={isPair ? 'Price of yes in cents' : `Price of ${answer} in cents`}
          hint="the best price of the book, until another is typed"
          error={isPrice(order.price) ? undefined : 'expected 1 to 99'}
          inputMode="decimal"
          value={price ?? String(order.price)}
          onValue={(text) => onChange({ price: text })}
        />
        <TextField
          label={isPair ? 'Pairs' : 'Shares'}
          hint={`a share of the right answer pays 98 ¢; the other 2 ¢ are the market's fee`}
          error={isAmount(order.amount) ? undefined : 'expected a whole number of shares, 1 at least'}
          inputMode="decimal"
          value={amount}
          onValue={(text) => onChange({ amount: text })}
        />
      </div>
    </>
  )
}

function describeButton({ side, price, amount }: Order, answer: string): string {
  if (side === 'pair') return `Make ${amount} pairs`
  return `${side === 'buy' ? 'Buy' : 'Sell'} ${amount} ${answer} at ${price} ¢`
}

interface FundsLineProps {
  /** Undefined until it is known, null without a wallet. */
  readonly funds: number | null | undefined
  /** Tokens that the order takes. */
  readonly needed: number
  readonly bridge: string
}

function FundsLine({ funds, needed, bridge }: FundsLineProps): JSX.Element {
  if (funds === null) return <p class="quiet">The gateway has no wallet: it cannot trade.</p>
  if (funds !== undefined && needed > funds)
    return (
      <p>
        <State tone="attention">
          The gateway's wallet lacks {money((needed - funds) * 100)} on {bridge}
        </State>{' '}
        The faucet on the <a href="/console/streams/development">development tab</a> gives test tokens.
      </p>
    )
  return (
    <p class="quiet">
      The gateway's wallet has {funds === undefined ? '…' : money(funds * 100)} on {bridge}.
    </p>
  )
}

/** The best price to trade at: the offer of the outcome, else the middle, else half a dollar. */
function suggestPrice(outcome: boolean, depths: readonly Depth[]): number {
  const { bid, ask, middle } = quoteYes(depths)
  const yes = Math.round((outcome ? ask : bid) ?? middle ?? 50)
  return Math.min(99, Math.max(1, outcome ? yes : 100 - yes))
}

function isWhole(value: number, most: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= most
}

async function sendOrder(query_id: number, { side, outcome, price, amount }: Order): Promise<void> {
  if (side === 'pair') await write('place_split_limit_order', { query_id, true_price: price, amount })
  else await write(`place_${side}_order`, { query_id, outcome, price, amount })
}
