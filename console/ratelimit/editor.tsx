/** A text with line numbers, and its mistakes at their lines. */

import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import type { Mistake } from '#ratelimit/contract/configuration.ts'

/** The editor. */
export function Editor(props: {
  readonly name: string
  readonly text: string
  readonly mistakes: readonly Mistake[]
  readonly onText: (text: string) => void
}): JSX.Element {
  const { name, text, mistakes, onText } = props
  const gutter = useRef<HTMLDivElement>(null)
  const lines = text.split('\n').length
  const wrong = new Map(mistakes.map(({ line, message }) => [line, message]))
  const [first] = mistakes
  return (
    <div class="editor">
      <div class="gutter" ref={gutter} aria-hidden="true">
        {Array.from({ length: lines }, (_, at) => (
          <span key={at} class={wrong.has(at + 1) ? 'wrong' : ''} title={wrong.get(at + 1)}>
            {at + 1}
          </span>
        ))}
      </div>
      <textarea
        aria-label={`Text of ${name}`}
        aria-invalid={first !== undefined}
        aria-describedby="editor-mistake"
        spellcheck={false}
        autocapitalize="off"
        wrap="off"
        rows={Math.min(32, Math.max(14, lines + 1))}
        value={text}
        onInput={({ currentTarget }) => onText(currentTarget.value)}
        onScroll={({ currentTarget }) => {
          if (gutter.current !== null) gutter.current.scrollTop = currentTarget.scrollTop
        }}
      />
      <p id="editor-mistake" class="hint wrong" role="status">
        {first === undefined ? '' : `Line ${first.line}: ${first.message}`}
      </p>
    </div>
  )
}
