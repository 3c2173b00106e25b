/** Rules that a change of the files adds, changes or removes. */

import type { JSX } from 'preact'
import type { Changes } from '#ratelimit/contract/configuration.ts'
import { State } from '../frame/components.tsx'
import { shortenLimit } from './limit-text.ts'

/** The list of rules that differ. */
export function ChangeList({ changes }: { readonly changes: Changes }): JSX.Element {
  if (changes.rules.length === 0) return <p class="quiet">No limit changes; only the text does.</p>
  const signs = { added: '+', removed: '-', changed: '~' } as const
  return (
    <ul class="changes" aria-label="Rules that change">
      {changes.rules.map(({ change, key, before, after, losesCounters }) => (
        <li key={key} class={change}>
          <span class="sign" title={change}>
            {signs[change]}
          </span>
          <div>
            <span class="mono">{key}</span> <span class="visually-hidden">{change}</span>
            {before === null ? null : <del>{shortenLimit(before)}</del>}
            {after === null ? null : <ins>{shortenLimit(after)}</ins>}
            {losesCounters ? <State tone="attention">what was counted no longer counts</State> : null}
          </div>
        </li>
      ))}
      {changes.leftOut === undefined ? null : <li class="quiet">and {changes.leftOut} more</li>}
    </ul>
  )
}
