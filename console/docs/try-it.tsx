/** A form that sends a request of one operation and shows the answer. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Button, State } from '../frame/components.tsx'
import { Field, Form, SelectField, TextField } from '../frame/fields.tsx'
import type { Surface } from '../frame/session.ts'
import { type Operation, type Parameter, typeText } from './document.ts'
import { fillPath, placeOf, type Reply, sendRequest, type Values } from './request.ts'

/** The form, with the answer below it. */
export function TryIt(props: { readonly operation: Operation; readonly surface: Surface }): JSX.Element {
  const { operation, surface } = props
  const { method, parameters, body } = operation
  const [values, setValues] = useState<Values>({})
  const [text, setText] = useState(() => bodyText(body?.example))
  const [reply, setReply] = useState<Reply | null>(null)
  const [isSending, setSending] = useState(false)
  const path = fillPath(operation, values)
  const send = async () => {
    setSending(true)
    setReply(await sendRequest(surface, operation, values, body === undefined ? null : text))
    setSending(false)
  }
  return (
    <Form class="stack try" onSubmit={() => void send()} isChecked>
      {parameters.length === 0 ? null : (
        <div class="fields">
          {parameters.map((parameter) => (
            <ParameterField
              key={placeOf(parameter)}
              parameter={parameter}
              value={values[placeOf(parameter)] ?? ''}
              onValue={(value) => setValues({ ...values, [placeOf(parameter)]: value })}
            />
          ))}
        </div>
      )}
      {body === undefined ? null : (
        <Field label={`Body, ${body.type}`}>
          {(control) => (
            <textarea
              {...control}
              rows={Math.min(16, text.split('\n').length + 1)}
              spellcheck={false}
              value={text}
              onInput={({ currentTarget }) => setText(currentTarget.value)}
            />
          )}
        </Field>
      )}
      <div class="row">
        <Button kind={method === 'GET' ? 'primary' : 'danger'} type="submit" disabled={isSending}>
          Send {method}
        </Button>
        <span class="mono entries">{path}</span>
      </div>
      {reply === null ? null : <ReplyView reply={reply} />}
    </Form>
  )
}

function ReplyView({ reply: { status, isOk, milliseconds, text } }: { readonly reply: Reply }): JSX.Element {
  return (
    <section aria-label="Answer" aria-live="polite">
      <p class="row">
        <State tone={isOk ? 'normal' : 'bad'}>{status === 0 ? 'no answer' : status}</State>
        <small>{milliseconds} ms</small>
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard */}
      <pre tabIndex={0}>{text}</pre>
    </section>
  )
}

interface ParameterFieldProps {
  readonly parameter: Parameter
  readonly value: string
  readonly onValue: (value: string) => void
}

function ParameterField({ parameter, value, onValue }: ParameterFieldProps): JSX.Element {
  const { name, schema, isRequired, description } = parameter
  const field = {
    label: isRequired ? name : `${name}, optional`,
    hint: description ?? typeText(schema),
    value,
    onValue,
  }
  return schema.enum === undefined ? (
    <TextField {...field} required={isRequired} placeholder={typeText(schema)} />
  ) : (
    <SelectField {...field} options={[['', 'not given'], ...schema.enum.map(String)]} />
  )
}

/** The text that a body begins with: the example of the operation. */
function bodyText(example: unknown): string {
  if (typeof example === 'string') return example
  return JSON.stringify(example ?? {}, null, 2)
}
