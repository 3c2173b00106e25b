/** Controls with their labels, and the forms that hold them. */

import type { ComponentChildren, JSX } from 'preact'
import { useId } from 'preact/hooks'
import { Button } from './components.tsx'

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

interface Control {
  readonly id: string
  readonly 'aria-describedby': string
  readonly 'aria-invalid': boolean
}

/** A control with its label, what is expected, and what is wrong with it. */
export function Field(props: LabelProps & { readonly children: (control: Control) => ComponentChildren }): JSX.Element {
  const { label, hint, error, children } = props
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
      {(control) => <input {...control} {...input} onInput={({ currentTarget }) => onValue(currentTarget.value)} />}
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

function Select({ options, onValue, ...rest }: SelectProps): JSX.Element {
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

/** A select with its label, its hint and its mistake. */
export function SelectField({ label, hint, error, ...select }: SelectProps & LabelProps): JSX.Element {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => <Select {...control} {...select} />}
    </Field>
  )
}

/** A select with its label before it, in a line. */
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
