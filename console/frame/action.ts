/** Something that a person starts and that a service may refuse. */

import { useState } from 'preact/hooks'
import type { ConsoleError } from './errors.ts'
import { failureFrom } from './resource.ts'

/** An action of a view: at rest, running, or failed the last time. */
export interface Action {
  readonly isBusy: boolean
  readonly error: ConsoleError | null
  /** Runs it; its error is shown until it runs again. */
  readonly run: (act: () => Promise<unknown>) => void
}

/** Remembers whether an action of the component runs, and why it failed. */
export function useAction(): Action {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<ConsoleError | null>(null)
  const run = async (act: () => Promise<unknown>) => {
    setBusy(true)
    setError(null)
    await act().catch((failure) => setError(failureFrom(failure)))
    setBusy(false)
  }
  return { isBusy, error, run: (act) => void run(act) }
}
