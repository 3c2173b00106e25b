/** The wallet of a view: the one that is typed, or the gateway's own. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { TextField } from '../frame/fields.tsx'
import { useOwnAccount } from './gateway.ts'

/** A choice of a wallet, and the field that makes it. */
interface WalletChoice {
  /** The address; null while it is not known or not whole. */
  readonly wallet: string | null
  /** True where it is the gateway's own. */
  readonly isOwn: boolean
  /** True where nothing is typed and the gateway has no key. */
  readonly isMissing: boolean
  readonly field: JSX.Element
}

/** The choice of one view. */
export function useWallet(): WalletChoice {
  const own = useOwnAccount()
  const [typed, setTyped] = useState('')
  const asked = typed === '' ? (own.data ?? '') : typed
  const wallet = parseWallet(asked)
  return {
    wallet,
    isOwn: wallet !== null && wallet === own.data?.toLowerCase(),
    isMissing: typed === '' && own.data === null,
    field: (
      <WalletField
        hint="0x and 40 hex digits; the gateway's own when empty"
        typed={typed}
        placeholder={own.data ?? ''}
        onTyped={setTyped}
      />
    ),
  }
}

interface WalletFieldProps {
  readonly hint: string
  readonly typed: string
  readonly placeholder?: string
  readonly onTyped: (text: string) => void
}

/** The field of an address. */
export function WalletField({ hint, typed, placeholder = '', onTyped }: WalletFieldProps): JSX.Element {
  return (
    <TextField
      label="Wallet"
      hint={hint}
      error={typed === '' || parseWallet(typed) !== null ? undefined : 'expected 0x and 40 hex digits'}
      class="mono"
      value={typed}
      placeholder={placeholder}
      onValue={(text) => onTyped(text.trim())}
    />
  )
}

/** The address in a text, as the console writes it; null where it is not one. */
export function parseWallet(text: string): string | null {
  return /^(0x)?[0-9a-fA-F]{40}$/.test(text) ? `0x${text.replace(/^0x/, '').toLowerCase()}` : null
}
