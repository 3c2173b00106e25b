/** The frame around every room: the rail, the header line, and what the keys open. */

import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useErrorBoundary, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { messageOf } from '#base/errors.ts'
import { Button, Facts, Problem, State } from './components.tsx'
import { Dialog } from './dialog.tsx'
import { ConsoleError } from './errors.ts'
import { Icon } from './icons.tsx'
import { type LiveState, streams } from './live.ts'
import { isReached, openRooms, site } from './rooms.ts'
import { route } from './router.ts'
import { Search } from './search.tsx'
import type { NameReaders } from './search-index.ts'
import { SignedOut } from './signed-out.tsx'
import { nextTheme, theme } from './theme.ts'
import { dateTime, now, time, toggleZone, zone } from './time.ts'
import { TokenBox } from './token-box.tsx'

/** Dialogs that keys and buttons of the header open over the page. */
type Overlay = 'search' | 'keys' | 'tokens'

/** The whole page; `children` is the view. */
export function Shell(props: {
  readonly notice: string | null
  /** Readers of the names of the rooms, for the search. */
  readonly readers: NameReaders
  readonly children: ComponentChildren
}): JSX.Element {
  const [overlay, setOverlay] = useState<Overlay | null>(null)
  const { path } = route.value
  const main = useRef<HTMLElement>(null)
  const isFirst = useRef(true)
  const room = path.split('/').slice(0, 3).join('/')
  useShortcuts(setOverlay)
  useLayoutEffect(() => {
    if (!isFirst.current) main.current?.focus()
    isFirst.current = false
  }, [room])
  const close = () => setOverlay(null)
  return (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to the view
      </a>
      <Rail />
      <Header onOpen={setOverlay} />
      <main id="main" ref={main} tabIndex={-1}>
        {props.notice === null ? null : (
          <p class="problem" role="alert">
            {props.notice}
          </p>
        )}
        <SignedOut onOpen={() => setOverlay('tokens')} />
        <Guard>{props.children}</Guard>
      </main>
      {overlay === 'search' ? <Search readers={props.readers} onClose={close} /> : null}
      {overlay === 'keys' ? <Keys onClose={close} /> : null}
      {overlay === 'tokens' ? <TokenBox onClose={close} /> : null}
    </div>
  )
}

function Rail(): JSX.Element {
  const { path } = route.value
  const isAt = (place: string) =>
    place === '/' ? path === '/' || path === '/console' : path === place || path.startsWith(`${place}/`)
  const places = [
    { name: 'home', title: 'Home', href: '/' },
    ...openRooms().map(({ name, title }) => ({ name, title, href: `/console/${name}` })),
    { name: 'docs', title: 'Docs', href: '/docs' },
  ] as const
  return (
    <nav class="rail" aria-label="Rooms">
      {places.map(({ name, title, href }) => (
        <a key={name} href={href} aria-current={isAt(href) ? 'page' : undefined}>
          <Icon name={name} />
          <span>{title}</span>
        </a>
      ))}
    </nav>
  )
}

function Header({ onOpen }: { readonly onOpen: (overlay: Overlay) => void }): JSX.Element {
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

/** `/` finds, `?` shows the keys, from the first painting on. */
function useShortcuts(open: (overlay: Overlay) => void): void {
  useLayoutEffect(() => {
    const openByKey = (event: KeyboardEvent) => {
      const { target, key } = event
      const isWriting = target instanceof HTMLElement && target.closest('input, textarea, select, dialog') !== null
      if (isWriting || event.ctrlKey || event.metaKey || event.altKey) return
      if (key !== '/' && key !== '?') return
      event.preventDefault()
      open(key === '/' ? 'search' : 'keys')
    }
    addEventListener('keydown', openByKey)
    return () => removeEventListener('keydown', openByKey)
  }, [open])
}

/** A mistake while a view is drawn ends the view, and not the page: it is shown until the person tries again or leaves. */
function Guard({ children }: { readonly children: ComponentChildren }): JSX.Element {
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

const keys: readonly (readonly [key: string, what: string])[] = [
  ['/', 'find anything that has a name'],
  ['?', 'show these keys'],
  ['Esc', 'close what is open'],
  ['Tab', 'go to the next control'],
  ['← →', 'move the cursor of a chart; Enter picks the moment'],
  ['Enter', 'open the row, press the button'],
]

function Keys({ onClose }: { readonly onClose: () => void }): JSX.Element {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <Facts facts={keys.map(([key, what]) => [<kbd key={key}>{key}</kbd>, what])} />
    </Dialog>
  )
}
