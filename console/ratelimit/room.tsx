/** The room of the rate limiter: what is decided now, why, by which rules, and what a counter holds. */

import type { JSX } from 'preact'
import type { RoomProps } from '../frame/lazy.tsx'
import { Empty, Tabs } from '../frame/pieces.tsx'
import { closePart, route } from '../frame/router.ts'
import { AskView } from './ask.tsx'
import { CounterSheet } from './counter.tsx'
import { draft } from './draft.ts'
import { History } from './history.tsx'
import { Overview } from './overview.tsx'
import { Rules } from './rules.tsx'

export { readNames } from './names.ts'

const views = [
  { name: '', label: 'Decisions', View: Overview },
  { name: 'ask', label: 'Ask', View: AskView },
  { name: 'rules', label: 'Rules', View: Rules },
  { name: 'history', label: 'History', View: History },
] as const

/** The room. */
export function Room({ path }: RoomProps): JSX.Element {
  const [name = ''] = path
  const view = views.find((one) => one.name === name)
  const key = route.value.query.get('key')
  return (
    <div class="stack">
      <div class="lead">
        <h1>Rate limit</h1>
      </div>
      <Tabs
        label="Views of the rate limiter"
        tabs={views.map((one) => ({
          href: `/console/ratelimit${one.name === '' ? '' : `/${one.name}`}`,
          label: one.name === 'rules' && draft.value !== null ? `${one.label} *` : one.label,
          isCurrent: one === view,
        }))}
      />
      {view === undefined ? (
        <Empty title={`There is no view "${name}" here`}>
          <p>Choose one of the tabs above.</p>
        </Empty>
      ) : (
        <view.View />
      )}
      {key === null ? null : <CounterSheet key={key} name={key} onClose={() => closePart({ key: null })} />}
    </div>
  )
}
