/** The form that trades in a market; it says what an order costs and pays before it is sent. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Depth } from '#gateway/contract/results.ts'
import { Button, Panel, Problem, State } from '../../frame/components.tsx'
import { Form, TextField, Toggles } from '../../frame/fields.tsx'
import { useAction } from '../../frame/resource.ts'
import { useOwnFunds } from '../funds.ts'
import { write } from '../gateway.ts'
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

interface TradeFormProps {
  readonly market: MarketInfo
  readonly depths: readonly Depth[]
}

/** The form, for the gateway's own wallet. */
export function TradeForm({ market, depths }: TradeFormProps): JSX.Element {
  const [side, setSide] = useState<Order['side']>('buy')
  const [answer, setAnswer] = useState<'yes' | 'no'>('yes')
  const [price, setPrice] = useState<string | null>(null)
  const [amount, setAmount] = useState('10')
  const [isDone, setDone] = useState(false)
  const { isBusy, error, run } = useAction()
  const funds = useOwnFunds(market.bridge ?? '')
  const outcome = side === 'pair' || answer === 'yes'
  const shownPrice = price ?? String(suggestPrice(outcome, depths))
  const order: Order = { side, outcome, price: Number(shownPrice), amount: Number(amount) }
  const wrongPrice = isWhole(order.price, 99) ? undefined : 'expected 1 to 99'
  const wrongAmount = isWhole(order.amount, 1e9) ? undefined : 'expected a whole number of shares, 1 at least'
  const isValid = wrongPrice === undefined && wrongAmount === undefined
  const preview = previewOrder(order, depths)
  const missing = funds.data == null ? 0 : preview.locked / 100 - funds.data
  const trade = async () => {
    setDone(false)
    await sendOrder(market.id, order)
    setDone(true)
    funds.reload()
  }
  return (
    <Panel title="Trade">
      <Form onSubmit={() => isValid && run(trade)}>
        <div class="row">
          <Toggles options={sides} value={side} onValue={setSide} />
          {side === 'pair' ? null : <Toggles options={answers} value={answer} onValue={setAnswer} />}
        </div>
        <div class="write">
          <TextField
            label={side === 'pair' ? 'Price of yes in cents' : `Price of ${answer} in cents`}
            hint="the best price of the book, until another is typed"
            error={wrongPrice}
            inputMode="decimal"
            value={shownPrice}
            onValue={setPrice}
          />
          <TextField
            label={side === 'pair' ? 'Pairs' : 'Shares'}
            hint={`a share of the right answer pays 98 ¢; the other 2 ¢ are the market's fee`}
            error={wrongAmount}
            inputMode="decimal"
            value={amount}
            onValue={setAmount}
          />
        </div>
        {isValid ? (
          <ul aria-label="Before it is sent">
            {describePreview(order, preview).map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        ) : null}
        <FundsLine funds={funds.data} missing={missing} bridge={market.bridge ?? ''} />
        <div class="row">
          <Button type="submit" kind="primary" disabled={isBusy || !isValid}>
            {isBusy ? 'Waiting for the block' : describeButton(order, answer)}
          </Button>
          {isDone ? <State tone="good">In a block</State> : null}
        </div>
      </Form>
      <Problem error={error} />
    </Panel>
  )
}

function describeButton({ side, price, amount }: Order, answer: string): string {
  if (side === 'pair') return `Make ${amount} pairs`
  return `${side === 'buy' ? 'Buy' : 'Sell'} ${amount} ${answer} at ${price} ¢`
}

interface FundsLineProps {
  /** Undefined until it is known, null without a wallet. */
  readonly funds: number | null | undefined
  readonly missing: number
  readonly bridge: string
}

function FundsLine({ funds, missing, bridge }: FundsLineProps): JSX.Element {
  if (funds === null) return <p class="quiet">The gateway has no wallet: it cannot trade.</p>
  if (missing > 0)
    return (
      <p>
        <State tone="attention">
          The gateway's wallet lacks {money(missing * 100)} on {bridge}
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
