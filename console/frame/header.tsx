/** The line above every view: health, the state of the live streams, the clock, and what its buttons open. */

import type { JSX } from 'preact'
import { Button, State } from './components.tsx'
import { type LiveState, streams } from './live.ts'
import { isReached, site } from './rooms.ts'
import { nextTheme, theme } from './theme.ts'
import { dateTime, now, time, toggleZone, zone } from './time.ts'

/** Dialogs that open over the page. */
export type Overlay = 'search' | 'keys' | 'tokens'

/** The line. */
export function Header({ onOpen }: { readonly onOpen: (overlay: Overlay) => void }): JSX.Element {
  return (
    <header class="top">
      <strong class="brand">Sluice</strong>
      <Health />
      <LiveDot />
      <span class="grow" />
      <button
        type="button"
        class="button plain clock"
        onClick={toggleZone}
        title={zone.value === 'utc' ? new Date(now.value).toString() : new Date(now.value).toUTCString()}
      >
        <time>{time(now.value)}</time> <small>{zone.value === 'utc' ? 'UTC' : 'local'}</small>
        <span class="visually-hidden"> switch between UTC and local time</span>
      </button>
      <Button onClick={nextTheme}>
        {theme.value === 'system' ? 'Auto' : theme.value === 'light' ? 'Light' : 'Dark'}
        <span class="visually-hidden"> colours, change</span>
      </Button>
      <Button onClick={() => onOpen('tokens')}>Tokens</Button>
      <span class="keys">
        <Button onClick={() => onOpen('search')} label="Find by name (key /)">
          <kbd>/</kbd>
        </Button>
        <Button onClick={() => onOpen('keys')} label="Show keys (key ?)">
          <kbd>?</kbd>
        </Button>
      </span>
    </header>
  )
}

function Health(): JSX.Element {
  if (!isReached.value) return <State tone="bad">no connection</State>
  const known = site.value
  if (known === null) return <State tone="normal">asking</State>
  const ill = known.surfaces.filter(({ isHealthy }) => !isHealthy)
  return ill.length === 0 ? (
    <State tone="normal">healthy</State>
  ) : (
    <span title={ill.map(({ name, reason }) => `${name}: ${reason}`).join('\n')}>
      <State tone="bad">{ill.map(({ name }) => name).join(', ')} unhealthy</State>
    </span>
  )
}

function LiveDot(): JSX.Element | null {
  const states = [...streams.value.values()]
  if (states.length === 0) return null
  const text = describeStreams(states)
  return (
    <span class={`live ${text === 'live' ? 'on' : 'off'}`} title={`As of ${dateTime(now.peek())}`} role="status">
      <i aria-hidden="true" />
      <span>{text}</span>
    </span>
  )
}

function describeStreams(states: readonly LiveState[]): string {
  if (states.includes('refused')) return 'needs a token'
  if (states.includes('lost')) return 'reconnecting'
  return states.includes('connecting') ? 'connecting' : 'live'
}
