/** Shapes of the diagram: the properties that all have, and the attributes of those that are grouped or pressed. */

import type { Layers } from '../live-grid.ts'
import type { GridPlan } from '../plan.ts'

/** The content of the diagram: one layer, or the distance between estimate and truth. */
export type Shown = keyof Layers | 'difference'

/** The properties of the diagram, which its shapes have too. */
export interface DiagramProps {
  readonly plan: GridPlan
  readonly layers: Layers
  readonly shown: Shown
  /** The bus whose values are written out. */
  readonly selected: number | null
  readonly onSelect: (bus: number) => void
  /** Absent where the person may not switch. */
  readonly onSwitch?: (breaker: string, closed: boolean) => void
}

/** Attributes of a group of shapes. */
export function grouped(label: string) {
  return { role: 'group', 'aria-label': label } as const
}

/** Attributes of a shape that acts as a button: SVG has no element for it. */
export function pressed(label: string, act: () => void) {
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' && event.key !== ' ') return
    // A space would scroll the page.
    event.preventDefault()
    act()
  }
  return { role: 'button', tabindex: 0, 'aria-label': label, onClick: act, onKeyDown } as const
}
