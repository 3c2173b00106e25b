/** A counter's hits beside its limit, as a bar. */

import type { ComponentChildren, JSX } from 'preact'

/** A bar with its numbers. @param full - 0 to 1; more is drawn as 1. */
export function Bar(props: { readonly full: number; readonly children: ComponentChildren }): JSX.Element {
  const full = Math.min(1, props.full)
  return (
    <span class={`bar tone-${full >= 1 ? 'bad' : full >= 0.8 ? 'attention' : 'text'}`}>
      <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
        <rect class="track" width="100" height="8" />
        <rect width={Math.max(1, full * 100)} height="8" fill="currentColor" />
      </svg>
      <span>{props.children}</span>
    </span>
  )
}
