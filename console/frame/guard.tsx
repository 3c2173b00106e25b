/** A bound around a view: a mistake while it is drawn ends the view, and not the page. */

import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useErrorBoundary } from 'preact/hooks'
import { messageOf } from '#base/errors.ts'
import { Problem } from './components.tsx'
import { ConsoleError } from './errors.ts'
import { route } from './router.ts'

/** Shows `children`, or what stopped them until the person tries again or goes elsewhere. */
export function Guard({ children }: { readonly children: ComponentChildren }): JSX.Element {
  const [fault, reset] = useErrorBoundary()
  const address = route.value
  useEffect(() => {
    if (fault !== undefined) reset()
  }, [address])
  if (fault === undefined) return <>{children}</>
  const reason = messageOf(fault)
  const error = new ConsoleError(`Cannot draw this view: ${reason}`, {
    status: -1,
    hint: 'Try again, or open another view. The service goes on, and what it stores is unchanged.',
  })
  return <Problem error={error} onRetry={reset} />
}
