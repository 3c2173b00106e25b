/** Rules that a change of the files adds, changes or removes. */

import type { JSX } from 'preact'
import type { Changes } from '#ratelimit/contract/configuration.ts'
import { State } from '../frame/components.tsx'

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
            {before === null ? null : <del>{shortText(before)}</del>}
            {after === null ? null : <ins>{shortText(after)}</ins>}
            {losesCounters ? <State tone="attention">what was counted no longer counts</State> : null}
          </div>
        </li>
      ))}
      {changes.leftOut === undefined ? null : <li class="quiet">and {changes.leftOut} more</li>}
    </ul>
  )
}

/** A limit without what is usual: `unit=MINUTE requests_per_unit=5, shadow_mode: false` becomes `5 / minute`. */
function shortText(text: string): string {
  const match = /^unit=(\w+) requests_per_unit=(\d+), shadow_mode: (\w+), quota_mode: (\w+)(.*)$/.exec(text)
  if (match === null) return text
  const [, unit = '', limit, isShadow, isQuota, rest = ''] = match
  const what = unit === 'UNKNOWN' ? 'unlimited' : `${limit} / ${unit.toLowerCase()}`
  return `${what}${isShadow === 'true' ? ', shadow' : ''}${isQuota === 'true' ? ', quota' : ''}${rest}`
}
