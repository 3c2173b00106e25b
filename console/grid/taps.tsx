/** The taps of transformers, and the orders that move each by a step. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Button, Panel, Problem } from '../frame/components.tsx'
import { useAction } from '../frame/resource.ts'
import type { Branch } from './plan.ts'
import { order } from './requests.ts'

/** The panel; it is there only where a transformer has a tap. */
export function Taps(props: { readonly base: string; readonly branches: readonly Branch[] }): JSX.Element | null {
  const { base, branches } = props
  const { error, run } = useAction()
  const [ordered, setOrdered] = useState<Readonly<Record<string, number>>>({})
  const tapped = branches.flatMap(({ name, tap }) => (tap === undefined ? [] : [{ name, tap: ordered[name] ?? tap }]))
  if (tapped.length === 0) return null
  const move = (name: string, position: number) =>
    run(async () => {
      await order(base, 'grid/tap', { breaker: `CB-${name}`, position })
      setOrdered((before) => ({ ...before, [name]: position }))
    })
  return (
    <Panel title="Transformers">
      <Problem error={error} />
      <ul class="restoration">
        {tapped.map(({ name, tap }) => (
          <li key={name}>
            Tap of {name} at step {tap}
            <span class="row">
              <Button label={`Raise the voltage behind ${name}`} onClick={() => move(name, tap - 1)}>
                Raise
              </Button>
              <Button label={`Lower the voltage behind ${name}`} onClick={() => move(name, tap + 1)}>
                Lower
              </Button>
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
