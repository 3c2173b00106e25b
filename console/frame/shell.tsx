/** The frame around every room: the rail, the header line, the view, and what is open over it. */

import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useErrorBoundary, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { messageOf } from '#base/errors.ts'
import { Problem } from './components.tsx'
import { ConsoleError } from './errors.ts'
import { Header, type Overlay } from './header.tsx'
import { Keys, useShortcuts } from './keys.tsx'
import { openRooms } from './rooms.ts'
import { route } from './router.ts'
import { Search } from './search.tsx'
import type { NameReaders } from './search-index.ts'
import { SignedOut } from './signed-out.tsx'
import { TokenBox } from './token-box.tsx'

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
      <button type="button" class="button skip" onClick={() => main.current?.focus()}>
        Skip to the view
      </button>
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
          <svg class="icon" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
            <path d={paths[name]} />
          </svg>
          <span>{title}</span>
        </a>
      ))}
    </nav>
  )
}

/** Icons of the rooms: strokes of the text's colour on a 20 by 20 field. */
const paths = {
  home: 'M3 9.5 10 4l7 5.5M5 8.5V16h10V8.5',
  ratelimit: 'M4 3v14M16 3v14M4 7h12M7.5 11h5M9 15h2',
  grid: 'M3 5h14M6 5v5M14 5v5M3 10h6M11 10h6M6 10v6M14 10v6M4 16h4M12 16h4',
  streams: 'M3 13c2.5 0 2.5-6 5-6s2.5 6 5 6 2-4 4-4',
  docs: 'M5 3h7l3 3v11H5zM12 3v3h3M7.5 10h5M7.5 13h5',
} as const

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
