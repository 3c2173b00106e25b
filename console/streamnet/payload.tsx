/** A decoded payload: its action with each argument, and links from it to streams, wallets and markets. */

import type { ComponentChildren, JSX } from 'preact'
import type { Payload } from '#gateway/contract/chain.ts'
import { CopyButton, Facts } from '../frame/components.tsx'
import { formatAmount } from './description.ts'
import { streamTitle } from './name-book.ts'
import { hrefOf } from './stream-name.ts'
import { WalletLink } from './wallet-link.tsx'

/** Elements of a list of arguments that are drawn; all are in the raw form. */
const mostElements = 12

interface PayloadProps {
  readonly payload: Payload
  /** The owner of a stream whose id comes without one. */
  readonly sender: string | null
}

/** The payload in words, above its raw form. */
export function PayloadView({ payload, sender }: PayloadProps): JSX.Element {
  const raw = JSON.stringify(payload, null, 2)
  return (
    <div class="stack">
      {payload.kind === 'execute' ? <Calls payload={payload} sender={sender} /> : null}
      {payload.kind === 'transfer' ? (
        <Facts
          facts={[
            ['To', <WalletLink wallet={payload.to} />],
            ['Amount', formatAmount(payload.amount)],
          ]}
        />
      ) : null}
      <div class="row">
        <h3 class="grow">Payload, decoded</h3>
        <CopyButton text={raw} label="the payload" />
      </div>
      <pre>{raw}</pre>
    </div>
  )
}

interface CallsProps {
  readonly payload: Extract<Payload, { readonly kind: 'execute' }>
  readonly sender: string | null
}

function Calls({ payload, sender }: CallsProps): JSX.Element {
  const { action, namespace, calls, args, left_out: leftOut, wallet } = payload
  const [first = []] = args
  return (
    <Facts
      facts={[
        ['Action', <code>{namespace === '' ? action : `${namespace}.${action}`}</code>],
        ['Runs', calls],
        ['As wallet', wallet === undefined ? null : <WalletLink wallet={wallet} />],
        ...first.map((arg, at) => [`Argument ${at + 1}`, <Argument arg={arg} all={first} sender={sender} />] as const),
        ['Not shown', leftOut === 0 ? null : `${leftOut} runs or elements of lists`],
      ]}
    />
  )
}

interface ArgumentProps {
  readonly arg: unknown
  readonly all: readonly unknown[]
  readonly sender: string | null
}

function Argument({ arg, all, sender }: ArgumentProps): JSX.Element {
  if (!Array.isArray(arg)) return <span>{showValue(arg, findOwner(all, null) ?? sender)}</span>
  return (
    <span class="arguments">
      {arg.slice(0, mostElements).map((one, at) => (
        <span key={at}>{showValue(one, findOwner(all, at) ?? sender)}</span>
      ))}
      {arg.length > mostElements ? <span class="quiet">and {arg.length - mostElements} more</span> : null}
    </span>
  )
}

const address = /^0x[0-9a-fA-F]{40}$/

/** The owner beside a stream's id: the address among the arguments, or the one at the same place of a list of them. */
function findOwner(all: readonly unknown[], at: number | null): string | undefined {
  const found = all.map((arg) => (at !== null && Array.isArray(arg) ? arg[at] : arg))
  return found.find((one): one is string => typeof one === 'string' && address.test(one))
}

function showValue(value: unknown, owner: string | null): ComponentChildren {
  if (typeof value !== 'string') return value === null ? 'null' : String(value)
  if (address.test(value)) return <WalletLink wallet={value} />
  if (!/^st[a-z0-9]{30}$/.test(value) || owner === null) return value
  const stream = { stream_id: value, data_provider: owner.toLowerCase() }
  return <a href={hrefOf(stream)}>{streamTitle(stream)}</a>
}
