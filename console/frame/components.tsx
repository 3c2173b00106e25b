/** The small components that every view is made of. */

import type { ComponentChildren, JSX } from 'preact'
import { useId, useState } from 'preact/hooks'
import type { ConsoleError } from './errors.ts'
import { type LineTone, linePath, type Point } from './line.ts'

/** The meaning of a colour; each has a shape and a word beside it. */
export type Tone = 'normal' | 'attention' | 'bad' | 'good'

interface ButtonProps {
  readonly kind?: 'plain' | 'primary' | 'danger'
  readonly type?: 'button' | 'submit'
  readonly onClick?: () => void
  readonly disabled?: boolean
  readonly label?: string
  readonly isPressed?: boolean
  readonly children: ComponentChildren
}

/** A button; its text says what happens. */
export function Button({ kind = 'plain', type = 'button', label, isPressed, ...rest }: ButtonProps): JSX.Element {
  return <button class={`button ${kind}`} type={type} aria-label={label} aria-pressed={isPressed} {...rest} />
}

/** A button that copies a text. @param label - Names the text in the button's name, such as `the address`. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }): JSX.Element {
  const [outcome, setOutcome] = useState<string | null>(null)
  // A page that came over plain HTTP from another machine has no clipboard.
  const copy = async () => navigator.clipboard.writeText(text)
  const copyIt = () =>
    void copy().then(
      () => setOutcome('Copied'),
      () => setOutcome('Not copied'),
    )
  return (
    <Button label={`Copy ${label}`} onClick={copyIt}>
      {outcome ?? 'Copy'}
    </Button>
  )
}

const disc = 'M9 5A4 4 0 1 1 1 5a4 4 0 1 1 8 0z'
const shapes: Readonly<Record<Tone, string>> = {
  normal: disc,
  good: disc,
  attention: 'M5 .8 9.6 9.2H.4z',
  bad: 'M1 1h8v8H1z',
}

/** A state as a shape and a word. */
export function State({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }): JSX.Element {
  return (
    <span class={`state ${tone}`}>
      <svg viewBox="0 0 10 10" aria-hidden="true">
        <path d={shapes[tone]} />
      </svg>
      {children}
    </span>
  )
}

/** A titled part of a view. */
export function Panel(props: {
  readonly title: string
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}): JSX.Element {
  const id = useId()
  return (
    <section class="panel" aria-labelledby={id}>
      <header>
        <h2 id={id}>{props.title}</h2>
        <div class="row">{props.actions}</div>
      </header>
      {props.children}
    </section>
  )
}

/** The place of something that is missing: its title, and a sentence that says how to get it. */
export function Empty(props: { readonly title: string; readonly children?: ComponentChildren }): JSX.Element {
  return (
    <div class="empty">
      <p>
        <strong>{props.title}</strong>
      </p>
      {props.children === undefined ? null : <p>{props.children}</p>}
    </div>
  )
}

/** An error, where there is one: the action that failed, what to do, the request's id. */
export function Problem(props: {
  readonly error: ConsoleError | null | undefined
  readonly onRetry?: () => void
}): JSX.Element | null {
  if (props.error == null) return null
  const { message, hint, requestId } = props.error
  return (
    <div class="problem" role="alert">
      <p>
        <State tone="bad">{message}</State>
      </p>
      {hint === undefined ? null : <p class="quiet">{hint}</p>}
      {requestId === undefined ? null : <p class="quiet mono">request {requestId}</p>}
      {props.onRetry === undefined ? null : <Button onClick={props.onRetry}>Try again</Button>}
    </div>
  )
}

/** Grey lines of the size of what is being loaded. */
export function Skeleton({ rows = 3 }: { readonly rows?: number | undefined }): JSX.Element {
  return (
    <div class="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        <span key={row} />
      ))}
    </div>
  )
}

/** Names with their values; a value that is null is left out with its name. */
export function Facts(props: {
  readonly facts: readonly (readonly [name: ComponentChildren, value: ComponentChildren])[]
  readonly isMono?: boolean
}): JSX.Element {
  return (
    <dl class="facts">
      {props.facts.map(([name, value], at) =>
        value === null ? null : (
          <div key={at}>
            <dt>{name}</dt>
            <dd class={props.isMono === true ? 'mono' : ''}>{value}</dd>
          </div>
        ),
      )}
    </dl>
  )
}

/** A table of a few rows: a name, and what is known of it in columns of numbers. */
export function SmallTable(props: {
  /** Read out before the table. */
  readonly caption: string
  readonly heads: readonly string[]
  readonly rows: readonly (readonly ComponentChildren[])[]
  readonly class?: string
}): JSX.Element {
  const [first, ...others] = props.heads
  return (
    <table class={props.class}>
      <caption class="visually-hidden">{props.caption}</caption>
      <thead>
        <tr>
          <th scope="col">{first}</th>
          {others.map((head) => (
            <th key={head} scope="col" class="num">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {props.rows.map(([name, ...cells], at) => (
          <tr key={at}>
            <th scope="row">{name}</th>
            {cells.map((cell, column) => (
              <td key={column} class="num">
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Links to the views of a room. */
export function Tabs(props: {
  readonly label: string
  /** The address of the view without a name; the others are below it. */
  readonly base: string
  readonly tabs: readonly (readonly [name: string, label: string])[]
  readonly current: string | undefined
}): JSX.Element {
  return (
    <nav class="tabs" aria-label={props.label}>
      {props.tabs.map(([name, label]) => (
        <a
          key={name}
          href={name === '' ? props.base : `${props.base}/${name}`}
          aria-current={name === props.current ? 'page' : undefined}
        >
          {label}
        </a>
      ))}
    </nav>
  )
}

/** A line without axes, 64 by 16 pixels, for a row of a table. */
export function Sparkline(props: {
  readonly values: readonly (number | null)[]
  readonly label: string
  readonly tone?: LineTone
}): JSX.Element {
  const known = props.values.filter((value) => value !== null)
  const [low, high] = [Math.min(...known), Math.max(...known)]
  const step = 64 / Math.max(1, props.values.length - 1)
  const points = props.values.map(
    (value, index): Point => (value === null ? null : [index * step, 15 - ((value - low) / (high - low || 1)) * 14]),
  )
  return (
    <svg class="sparkline" viewBox="0 0 64 16" width="64" height="16" role="img" aria-label={props.label}>
      <path class={`line tone-${props.tone ?? 'text'}`} d={linePath(points)} />
    </svg>
  )
}
