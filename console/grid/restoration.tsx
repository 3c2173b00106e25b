/** The way back after a disturbance: machines that are off, load that is disconnected, and the orders that return them. */

import type { JSX } from 'preact'
import { Button, Panel, Problem } from '../frame/components.tsx'
import { useAction } from '../frame/resource.ts'
import type { Layers } from './live-grid.ts'
import { order } from './requests.ts'

/** The panel; it is there only while something is off. */
export function Restoration({ base, layers }: { readonly base: string; readonly layers: Layers }): JSX.Element | null {
  const { error, run } = useAction()
  const { load_shed: shed = {}, machine_connected: connected = {} } = layers.true
  const machines = Object.keys(connected).filter((bus) => connected[bus] === false)
  const loads = Object.keys(shed).filter((bus) => Number(shed[bus]) > 0)
  if (machines.length + loads.length === 0) return null
  const send = (path: string, body: object) => run(() => order(base, `grid/${path}`, body))
  return (
    <Panel
      title="Restoration"
      actions={loads.length > 0 ? <Button onClick={() => send('restore', {})}>Connect all load</Button> : null}
    >
      <Problem error={error} />
      <ul class="restoration">
        {machines.map((bus) => (
          <li key={`machine ${bus}`}>
            Machine at bus {bus} is off
            <Button
              label={`Connect the machine at bus ${bus}`}
              onClick={() => send('generator', { bus: Number(bus), connected: true })}
            >
              Connect
            </Button>
          </li>
        ))}
        {loads.map((bus) => (
          <li key={`load ${bus}`}>
            {Math.round(Number(shed[bus]) * 100)} % of the load at bus {bus} is disconnected
            <Button label={`Connect the load at bus ${bus}`} onClick={() => send('restore', { bus: Number(bus) })}>
              Connect
            </Button>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
