/** A wallet by its tag or its short address, with the way to its page. */

import type { JSX } from 'preact'
import { walletTitle } from './name-book.ts'
import { parseWallet } from './wallet.tsx'

/** The link; another text, such as `system`, stays one. */
export function WalletLink({ wallet }: { readonly wallet: string }): JSX.Element {
  const address = parseWallet(wallet)
  return address === null ? (
    <span>{wallet}</span>
  ) : (
    <a class="mono" href={`/console/streams/wallets/${address}`} title={address}>
      {walletTitle(address)}
    </a>
  )
}
