/** A drawing that a person enlarges and moves: a frame that scrolls, so that fingers and keys move it as any page. */

import type { ComponentChildren, JSX } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { Button } from '../frame/components.tsx'

/** At this scale the labels of 118 buses can be read on a phone. */
const largest = 8

/** Pixels that a mouse may move between its two ends of a click. */
const clickSlack = 4

/** The frame with its buttons. */
export function Zoom({ children }: { readonly children: ComponentChildren }): JSX.Element {
  const [scale, setScale] = useState(1)
  const frame = useRef<HTMLDivElement>(null)
  const moved = useRef(0)
  const zoom = (by: number) => {
    const box = frame.current
    if (box === null) return
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = box
    // The middle of what was seen stays in the middle.
    const turn = (start: number, length: number) => (start + length / 2) * by - length / 2
    setScale(scale * by)
    requestAnimationFrame(() => box.scrollTo(turn(scrollLeft, clientWidth), turn(scrollTop, clientHeight)))
  }
  const drag = ({ buttons, pointerType, movementX, movementY }: PointerEvent) => {
    if (scale === 1 || buttons !== 1 || pointerType !== 'mouse') return
    moved.current += Math.abs(movementX) + Math.abs(movementY)
    frame.current?.scrollBy(-movementX, -movementY)
  }
  return (
    <div class="zoom" style={{ '--zoom': scale }}>
      <div
        class={scale > 1 ? 'scrolled' : ''}
        ref={frame}
        onPointerDown={() => {
          moved.current = 0
        }}
        onPointerMove={drag}
        // A drag that ends where it began, on a breaker, does not switch it.
        onClickCapture={(event) => moved.current > clickSlack && event.stopPropagation()}
      >
        {children}
      </div>
      <div class="row">
        <Button label="Enlarge the diagram" disabled={scale >= largest} onClick={() => zoom(2)}>
          +
        </Button>
        <Button label="Show more of the diagram" disabled={scale === 1} onClick={() => zoom(0.5)}>
          −
        </Button>
      </div>
    </div>
  )
}
