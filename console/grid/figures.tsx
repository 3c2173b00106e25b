/** Frequency and load of the whole grid, coloured only where they are abnormal. */

import type { JSX } from 'preact'
import { State } from '../frame/components.tsx'

/** The figures that are known. @param summary - By name; see the topic `grid` in docs/grid.md. */
export function Figures({ summary }: { readonly summary: Readonly<Record<string, number>> }): JSX.Element {
  const { frequency_hz: hertz, load_mw: load, shed_mw: shed = 0 } = summary
  return (
    <>
      {hertz === undefined ? null : (
        <State tone={Math.abs(hertz - 60) > 0.5 ? 'bad' : 'normal'}>
          {hertz.toFixed(3)} <small>Hz</small>
        </State>
      )}
      {load === undefined ? null : (
        <State tone={shed > 0.5 ? 'bad' : 'normal'}>
          {load.toFixed(0)} <small>MW{shed > 0.5 ? `, ${shed.toFixed(0)} MW not served` : ''}</small>
        </State>
      )}
    </>
  )
}
