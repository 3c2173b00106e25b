/** The check of edited rules by the service: their difference to the rules that run, or their mistakes. */

import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Changes, Mistake } from '#ratelimit/contract/configuration.ts'
import { ask } from '../frame/api.ts'
import { Skeleton, State } from '../frame/components.tsx'
import type { ConsoleError } from '../frame/errors.ts'
import { failureFrom } from '../frame/resource.ts'
import { ChangeList } from './changes.tsx'
import type { Files } from './draft.ts'

/** The verdict of the service on files. */
interface Verdict {
  readonly files: Files
  /** Absent where the files have mistakes, or could not be checked. */
  readonly changes?: Changes
  readonly mistakes: readonly Mistake[]
  /** Further mistakes that the answer leaves out. */
  readonly leftOut?: number | undefined
  /** The reason why the files could not be checked. */
  readonly error?: ConsoleError
}

/** The difference, or the mistakes in its place; grey lines while the files are checked. */
export function Difference(props: {
  readonly verdict: Verdict | null
  readonly isChanged: boolean
  readonly onOpen: (file: string) => void
}): JSX.Element {
  const { verdict, isChanged, onOpen } = props
  if (verdict === null) return <Skeleton rows={2} />
  const { mistakes, leftOut, changes, error } = verdict
  if (mistakes.length > 0) {
    return (
      <ul class="mistakes" aria-label="Mistakes">
        {mistakes.map(({ file, line, message, hint }) => (
          <li key={`${file}${line}${message}`}>
            <State tone="bad">
              <button type="button" class="link" onClick={() => onOpen(file)}>
                {file}, line {line}
              </button>
            </State>
            <p>{message}</p>
            {hint === undefined ? null : <p class="quiet">{hint}</p>}
          </li>
        ))}
        {leftOut === undefined ? null : <li class="quiet">and {leftOut} more</li>}
      </ul>
    )
  }
  if (error !== undefined) return <p class="quiet">The files are not checked.</p>
  if (!isChanged || changes === undefined) return <p class="quiet">Nothing is changed.</p>
  return <ChangeList changes={changes} />
}

/** Checks the files a moment after the last change of them; until then the verdict is that of the files before. */
export function useVerdict(files: Files) {
  const [verdict, setVerdict] = useState<Verdict | null>(null)
  const [round, setRound] = useState(0)
  useEffect(() => {
    const stopping = new AbortController()
    const timer = setTimeout(async () => {
      const { signal } = stopping
      const checked = ask<{ changes: Changes }>('ratelimit', '/ratelimit/config/check', {
        method: 'POST',
        body: { files },
        signal,
      })
      const next = await checked.then(({ changes }) => ({ changes, mistakes: [] }), readRefusal)
      if (!signal.aborted) setVerdict({ files, ...next })
    }, 300)
    return () => {
      clearTimeout(timer)
      stopping.abort()
    }
  }, [files, round])
  return { verdict, checkAgain: () => setRound(round + 1) }
}

function readRefusal(error: unknown): Omit<Verdict, 'files'> {
  const failure = failureFrom(error)
  // The shape is that of the document's Error, with code `invalid_rules`.
  const body = failure.body as { error?: { mistakes?: readonly Mistake[]; leftOut?: number } } | undefined
  const { mistakes, leftOut } = body?.error ?? {}
  return mistakes === undefined ? { mistakes: [], error: failure } : { mistakes, leftOut }
}
