/** The console's entry: signs in by a link where there is one, then shows the view of the address. */

import { type ComponentType, type JSX, render } from 'preact'
import './frame/style.css'
import './frame/components.css'
import './docs/docs.css'
import './grid/room.css'
import './ratelimit/room.css'
import './streamnet/room.css'
import { Empty } from './frame/components.tsx'
import { Lazy, type RoomProps } from './frame/lazy.tsx'
import { watchSite } from './frame/rooms.ts'
import { route, startRouter } from './frame/router.ts'
import type { NameReaders } from './frame/search-index.ts'
import { followOtherTabs, signInByLink } from './frame/session.ts'
import { Shell } from './frame/shell.tsx'
import { Lock } from './frame/signed-out.tsx'
import { applyTheme } from './frame/theme.ts'
import { Home } from './home/home.tsx'

const views: Readonly<Record<string, () => Promise<ComponentType<RoomProps>>>> = {
  ratelimit: async () => (await import('./ratelimit/room.tsx')).Room,
  grid: async () => (await import('./grid/room.tsx')).Room,
  streams: async () => (await import('./streamnet/room.tsx')).Room,
  docs: async () => (await import('./docs/docs.tsx')).Docs,
}

const readers: NameReaders = {
  ratelimit: async () => (await import('./ratelimit/room.tsx')).readNames,
  grid: async () => (await import('./grid/room.tsx')).readNames,
  streams: async () => (await import('./streamnet/room.tsx')).readNames,
}

function View(): JSX.Element {
  const [first = '', ...rest] = route.value.path.split('/').slice(1)
  if (first === '' || (first === 'console' && rest.length === 0)) return <Home />
  const [name = '', ...path] = first === 'console' ? rest.map(decodeURIComponent) : [first, ...rest]
  const load = views[name]
  if (load !== undefined)
    return (
      <Lock key={name} name={name} path={path}>
        <Lazy name={name} load={load} path={path} />
      </Lock>
    )
  return (
    <Empty title={`There is no view ${route.value.path}`}>
      <a href="/">What runs here</a> has links to all rooms.
    </Empty>
  )
}

const root = document.getElementById('console')
applyTheme()
followOtherTabs()
const notice = await signInByLink()
startRouter()
void watchSite()
if (root !== null) {
  render(
    <Shell notice={notice} readers={readers}>
      <View />
    </Shell>,
    root,
  )
}
