/** The room of the rate limiter: what is decided now, why, by which rules, and what a counter holds. */

import type { JSX } from 'preact'
import { Empty, Tabs } from '../frame/components.tsx'
import type { RoomProps } from '../frame/lazy.tsx'
import { closePart, route } from '../frame/router.ts'
import { AskView } from './ask.tsx'
import { CounterSheet } from './counter.tsx'
import { draft } from './draft.ts'
import { History } from './history.tsx'
import { Overview } from './overview.tsx'
import { Rules } from './rules.tsx'

export { readNames } from './names.ts'

const views = [
  ['', 'Decisions', Overview],
  ['ask', 'Ask', AskView],
  ['rules', 'Rules', Rules],
  ['history', 'History', History],
] as const

/** The room. */
export function Room({ path }: RoomProps): JSX.Element {
  const [current = ''] = path
  const [, , View] = views.find(([name]) => name === current) ?? []
  const key = route.value.query.get('key')
  return (
    <div class="stack">
      <div class="lead">
        <h1>Rate limit</h1>
      </div>
      <Tabs
        label="Views of the rate limiter"
        base="/console/ratelimit"
        // A star marks edits that are not published.
        tabs={views.map(([name, label]) => [name, name === 'rules' && draft.value !== null ? `${label} *` : label])}
        current={current}
      />
      {View === undefined ? (
        <Empty title={`There is no view "${current}" here`}>Choose one of the tabs above.</Empty>
      ) : (
        <View />
      )}
      {key === null ? null : <CounterSheet key={key} name={key} onClose={() => closePart({ key: null })} />}
    </div>
  )
}
