/** A page that is not let in: one sentence with one action, in the place of what it cannot know. */

import { computed } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { Button, State } from './components.tsx'
import { openRooms, rooms, site, tokenName } from './rooms.ts'
import { route } from './router.ts'
import { admitted, hasAccess, isSessionOver, refused } from './session.ts'

/** The reason why the page is not let in, for the banner; null where it is, or where it has not been refused yet. */
export const signedOutReason = computed((): string | null => {
  if (isSessionOver.value) return 'You are signed out: the session has ended'
  const names = [...refused.value].map(
    (surface) => `${tokenName(surface)} is ${hasAccess(surface) ? 'wrong' : 'missing'}`,
  )
  if (names.length > 0) return names.join(', ')
  const isHome = route.value.path === '/' || route.value.path === '/console'
  const places = openRooms()
  const isStranger = places.length > 0 && places.every(({ surface }) => !hasAccess(surface))
  return isHome && isStranger && site.value?.hasToken !== true ? 'You are not signed in' : null
})

/** The banner. */
export function SignedOut({ onOpen }: { readonly onOpen: () => void }): JSX.Element | null {
  if (signedOutReason.value === null) return null
  return (
    <div class="problem row" role="alert">
      <State tone="attention">{signedOutReason.value}</State>
      <span class="quiet">Open a link that "npx sluice console" prints, in any tab, or give the token here.</span>
      <Button kind="primary" onClick={onOpen}>
        Give tokens
      </Button>
    </div>
  )
}

/** A room that is hidden while its service refuses every request; it goes on asking, and keeps what was typed. */
export function Lock(props: {
  readonly name: string
  readonly path: readonly string[]
  readonly children: ComponentChildren
}): JSX.Element {
  const [view] = props.path
  // The development view asks with the operator's token.
  const place = view === 'development' ? undefined : rooms.find(({ name }) => name === props.name)
  const isLocked = place !== undefined && refused.value.has(place.surface) && !admitted.value.has(place.surface)
  const element = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    // A dialog that is hidden with its room would hold the keyboard.
    if (isLocked) for (const dialog of element.current?.querySelectorAll('dialog') ?? []) dialog.close()
  }, [isLocked])
  return (
    <>
      {isLocked ? (
        <>
          <h1>{place.title}</h1>
          <p class="quiet">{place.about}</p>
        </>
      ) : null}
      <div ref={element} hidden={isLocked}>
        {props.children}
      </div>
    </>
  )
}
