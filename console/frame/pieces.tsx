/** The small parts that every view is made of. */

import type { ComponentChildren, JSX } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { openDialogEntry } from './back.ts'
import type { ConsoleError } from './errors.ts'
import { type LineTone, linePath, type Point } from './line.ts'

/** What a colour says; each has a shape and a word beside it. */
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
export function Button({
  kind = 'plain',
  type = 'button',
  label,
  isPressed,
  ...rest
}: ButtonProps): JSX.Element {
  return <button class={`button ${kind}`} type={type} aria-label={label} aria-pressed={isPressed} {...rest} />
}

/** Buttons of which one is pressed. */
export function Toggles<Value extends string>(props: {
  readonly options: readonly (readonly [value: Value, label: string])[]
  readonly value: Value
  readonly onValue: (value: Value) => void
}): JSX.Element {
  return (
    <>
      {props.options.map(([value, label]) => (
        <Button key={value} isPressed={value === props.value} onClick={() => props.onValue(value)}>
          {label}
        </Button>
      ))}
    </>
  )
}

/** A form that sends nothing by itself. */
export function Form(props: {
  readonly class?: string
  readonly onSubmit: () => void
  /** True where the browser checks the fields; otherwise the service does, and its mistakes are shown at them. */
  readonly isChecked?: boolean
  readonly children: ComponentChildren
}): JSX.Element {
  return (
    <form
      class={props.class ?? 'stack'}
      noValidate={props.isChecked !== true}
      onSubmit={(event) => {
        event.preventDefault()
        props.onSubmit()
      }}
    >
      {props.children}
    </form>
  )
}

interface LabelProps {
  readonly label: string
  readonly hint?: ComponentChildren
  readonly error?: string | undefined
}

/** Attributes that tie a control to its label and its error. */
interface Control {
  readonly id: string
  readonly 'aria-describedby': string
  readonly 'aria-invalid': boolean
}

interface FieldProps extends LabelProps {
  readonly children: (control: Control) => ComponentChildren
}

/** A control with its label, what is expected, and what is wrong with it. */
export function Field({ label, hint, error, children }: FieldProps): JSX.Element {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, 'aria-describedby': `${id}-hint`, 'aria-invalid': error !== undefined })}
      <p id={`${id}-hint`} class={error === undefined ? 'hint' : 'hint wrong'}>
        {error ?? hint}
      </p>
    </div>
  )
}

interface TextFieldProps extends LabelProps {
  readonly value: string
  readonly onValue: (text: string) => void
  readonly type?: 'password'
  readonly class?: string
  readonly inputMode?: 'decimal' | 'text'
  readonly placeholder?: string
  readonly required?: boolean
  readonly autocomplete?: 'off'
}

/** A line of text with its label. */
export function TextField({ label, hint, error, onValue, ...input }: TextFieldProps): JSX.Element {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <input {...control} {...input} onInput={({ currentTarget }) => onValue(currentTarget.value)} />
      )}
    </Field>
  )
}

/** Values to choose from, each with its label where that is another text. */
export type Options = readonly (string | readonly [value: string, label: string])[]

interface SelectProps extends Partial<Control> {
  readonly options: Options
  readonly value: string
  readonly onValue: (value: string) => void
}

/** A list of values of which one is chosen. */
export function Select({ options, onValue, ...rest }: SelectProps): JSX.Element {
  return (
    <select {...rest} onChange={({ currentTarget }) => onValue(currentTarget.value)}>
      {options.map((option) => {
        const [value, label] = typeof option === 'string' ? [option, option] : option
        return (
          <option key={value} value={value}>
            {label}
          </option>
        )
      })}
    </select>
  )
}

/** The same in a field. */
export function SelectField({ label, hint, error, ...select }: SelectProps & LabelProps): JSX.Element {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => <Select {...control} {...select} />}
    </Field>
  )
}

/** The same in a line with a few words before it. */
export function Choice({ label, ...select }: SelectProps & { readonly label: string }): JSX.Element {
  const id = useId()
  return (
    <span class="row">
      <label class="quiet" for={id}>
        {label}
      </label>
      <Select id={id} {...select} />
    </span>
  )
}

/** A state as a shape and a word. */
export function State({
  tone,
  children,
}: {
  readonly tone: Tone
  readonly children: ComponentChildren
}): JSX.Element {
  return (
    <span class={`state ${tone}`}>
      <svg viewBox="0 0 10 10" aria-hidden="true">
        {tone === 'attention' ? <path d="M5 .8 9.6 9.2H.4z" /> : null}
        {tone === 'bad' ? <path d="M1 1h8v8H1z" /> : null}
        {tone === 'good' || tone === 'normal' ? <circle cx="5" cy="5" r="4" /> : null}
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

/** What would be here, and what makes it so. */
export function Empty(props: { readonly title: string; readonly children?: ComponentChildren }): JSX.Element {
  return (
    <div class="empty">
      <p>
        <strong>{props.title}</strong>
      </p>
      {props.children}
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

/** A number with its unit, smaller and greyer. */
export function Num(props: {
  readonly value: number
  readonly unit?: string
  readonly digits?: number
}): JSX.Element {
  return (
    <span class="num">
      {formatNumber(props.value, props.digits)}
      {props.unit === undefined ? null : <small> {props.unit}</small>}
    </span>
  )
}

/** A number as text, with a thin space between thousands. */
export function formatNumber(value: number, digits = Number.isInteger(value) ? 0 : 1): string {
  if (!Number.isFinite(value)) return '-'
  const [whole = '', fraction] = Math.abs(value).toFixed(digits).split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, '\u2009')
  return `${value < 0 ? '-' : ''}${grouped}${fraction === undefined ? '' : `.${fraction}`}`
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
    (value, index): Point =>
      value === null ? null : [index * step, 15 - ((value - low) / (high - low || 1)) * 14],
  )
  return (
    <svg class="sparkline" viewBox="0 0 64 16" width="64" height="16" role="img" aria-label={props.label}>
      <path class={`line tone-${props.tone ?? 'text'}`} d={linePath(points)} />
    </svg>
  )
}

/**
 * Takes the keyboard with `take` before the next key can come; when the part goes, `release` is called and the
 * keyboard goes back to where it was.
 * An effect after the painting would let keys through, and a part that is rendered again meanwhile runs its
 * effects before those of the dialog that it is in.
 */
function useFocus(take: () => void, release?: () => void): void {
  useLayoutEffect(() => {
    const before = document.activeElement
    take()
    return () => {
      release?.()
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
}

/** An inspector at the right, from below on a phone; Escape and its button close it. */
export function Sheet(props: {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
}): JSX.Element {
  const id = useId()
  const heading = useRef<HTMLHeadingElement>(null)
  const { onClose, title } = props
  useFocus(() => heading.current?.focus())
  return (
    <aside class="sheet" aria-labelledby={id} onKeyDown={(event) => closeOnEscape(event, onClose)}>
      <header>
        <h2 id={id} ref={heading} tabIndex={-1}>
          {title}
        </h2>
        <Button onClick={onClose} label={`Close ${title}`}>
          Close
        </Button>
      </header>
      <div class="sheet-body">{props.children}</div>
    </aside>
  )
}

/**
 * A dialog over the page, with the keyboard kept inside it by the browser.
 * Escape and its button take it out of the page at once. The browser by itself would hide it first and say so in a
 * later task: a key pressed in between found the dialog still there for the page, and was lost.
 */
export function Dialog(props: {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
}): JSX.Element {
  const id = useId()
  const element = useRef<HTMLDialogElement>(null)
  const { title, onClose } = props
  const latest = useRef(onClose)
  latest.current = onClose
  useFocus(
    () => element.current?.showModal(),
    () => element.current?.close(),
  )
  useLayoutEffect(() => openDialogEntry(() => latest.current()), [])
  return (
    <dialog
      ref={element}
      aria-labelledby={id}
      onKeyDown={(event) => closeOnEscape(event, onClose)}
      // A browser closes dialogs in other ways too: the gesture "back" of a phone.
      onClose={({ currentTarget }) => currentTarget.isConnected && onClose()}
    >
      <header>
        <h2 id={id}>{title}</h2>
        <Button onClick={onClose}>Close</Button>
      </header>
      {props.children}
    </dialog>
  )
}

function closeOnEscape(event: KeyboardEvent, close: () => void): void {
  // While letters are composed, Escape is the composer's.
  if (event.key !== 'Escape' || event.isComposing) return
  event.preventDefault()
  event.stopPropagation()
  close()
}

/** A question before something that cannot be taken back: what will happen, and the button that does it. */
export function Confirm(props: {
  readonly title: string
  readonly action: string
  readonly onConfirm: () => void
  readonly onClose: () => void
  readonly children: ComponentChildren
}): JSX.Element {
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <div class="stack">
        {props.children}
        <div class="row end">
          <Button onClick={props.onClose}>Keep as it is</Button>
          <Button
            kind="danger"
            onClick={() => {
              props.onConfirm()
              props.onClose()
            }}
          >
            {props.action}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
