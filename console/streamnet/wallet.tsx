/** The wallet of a view: the one that is typed, or the gateway's own; and the panel of such a view. */

import type { ComponentChildren, JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Empty, Panel } from '../frame/components.tsx'
import { TextField } from '../frame/fields.tsx'
import { Loaded } from '../frame/loaded.tsx'
import type { Resource } from '../frame/resource.ts'
import { useRead } from './gateway.ts'

/** A choice of a wallet, and the field that makes it. */
export interface WalletChoice {
  /** The address; null while it is not known or not whole. */
  readonly wallet: string | null
  /** True where nothing is typed and the gateway has no key. */
  readonly isMissing: boolean
  readonly field: JSX.Element
}

/** The choice of one view. */
export function useWallet(): WalletChoice {
  const own = useRead<string | null>('get_current_account')
  const [typed, setTyped] = useState('')
  const asked = typed === '' ? (own.data ?? '') : typed
  const isAddress = /^(0x)?[0-9a-fA-F]{40}$/.test(asked)
  return {
    wallet: isAddress ? `0x${asked.replace(/^0x/, '').toLowerCase()}` : null,
    isMissing: typed === '' && own.data === null,
    field: (
      <TextField
        label="Wallet"
        hint="0x and 40 hex digits; the gateway's own when empty"
        error={typed === '' || isAddress ? undefined : 'expected 0x and 40 hex digits'}
        class="mono"
        value={typed}
        placeholder={own.data ?? ''}
        onValue={(text) => setTyped(text.trim())}
      />
    ),
  }
}

/** Parts of a panel about a wallet. */
interface WalletPanelProps {
  readonly title: string
  readonly choice: WalletChoice
  /** The content of the panel, read when the wallet is known. */
  readonly resource: Resource<unknown>
  /** Shown when both are there. */
  readonly children: ComponentChildren
}

/** A panel that asks for a wallet and says what is missing, what failed and what is on its way. */
export function WalletPanel({ title, choice, resource, children }: WalletPanelProps): JSX.Element {
  const { wallet, isMissing, field } = choice
  return (
    <Panel title={title}>
      {field}
      {isMissing ? (
        <Empty title="This gateway has no wallet">
          <p>Type the address of a wallet above.</p>
        </Empty>
      ) : null}
      <Loaded of={resource}>{() => (wallet === null ? null : children)}</Loaded>
    </Panel>
  )
}
