/** The button of a form that sends a transaction. */

import type { ComponentChildren, JSX } from 'preact'
import { Button } from '../frame/components.tsx'

interface SendButtonProps {
  /** True until the transaction is in a block. */
  readonly isBusy: boolean
  readonly disabled?: boolean
  readonly children: ComponentChildren
}

/** The button, which is off while its transaction is on the way. */
export function SendButton({ isBusy, disabled = false, children }: SendButtonProps): JSX.Element {
  return (
    <Button type="submit" kind="primary" disabled={isBusy || disabled}>
      {isBusy ? 'Waiting for the block' : children}
    </Button>
  )
}
