/** A form that sends a request of one operation and shows the answer. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { parseJson } from '#base/json.ts'
import { Button, State } from '../frame/components.tsx'
import { Field, Form, SelectField, TextField } from '../frame/fields.tsx'
import { failureFrom } from '../frame/resource.ts'
import { fetchAs, type Surface } from '../frame/session.ts'
import { type Operation, type Parameter, typeText } from './document.ts'

/** Characters of an answer that are shown. */
const maxShown = 20_000

interface Reply {
  /** 0 without an answer. */
  readonly status: number
  readonly isOk: boolean
  readonly milliseconds: number
  readonly text: string
}

/** Texts of the parameters by their names. */
type Values = Readonly<Record<string, string>>

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
        <div class="parameters">
          {parameters.map((parameter) => (
            <ParameterField
              key={parameter.in + parameter.name}
              parameter={parameter}
              value={values[parameter.name] ?? ''}
              onValue={(value) => setValues({ ...values, [parameter.name]: value })}
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

/** The path of a request with its query; a parameter without a value keeps its place in braces. */
function fillPath({ path, parameters }: Operation, values: Values): string {
  const filled = path.replace(/\{(\w+)\}/g, (whole, name: string) =>
    values[name] === undefined || values[name] === '' ? whole : encodeURIComponent(values[name]),
  )
  const query = new URLSearchParams()
  for (const { name, in: place } of parameters) {
    const value = values[name] ?? ''
    if (place === 'query' && value !== '') query.append(name, value)
  }
  return `${filled}${query.size === 0 ? '' : `?${query}`}`
}

async function sendRequest(
  surface: Surface,
  operation: Operation,
  values: Values,
  body: string | null,
): Promise<Reply> {
  const { method, parameters, body: described } = operation
  const own = parameters.filter(({ in: place, name }) => place === 'header' && (values[name] ?? '') !== '')
  const headers = {
    ...Object.fromEntries(own.map(({ name }) => [name, values[name] ?? ''])),
    ...(described !== undefined && { 'content-type': described.type }),
  }
  const started = performance.now()
  const reply = await fetchAs(surface, fillPath(operation, values), { method, headers, body })
    .then(async (response) => ({ status: response.status, isOk: response.ok, text: indent(await readSome(response)) }))
    .catch((error) => ({ status: 0, isOk: false, text: failureFrom(error).message }))
  return { ...reply, milliseconds: Math.round(performance.now() - started) }
}

/** Reads the beginning of an answer; an event stream does not end, and is read for three seconds. */
async function readSome(response: Response): Promise<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  if (reader === undefined) return ''
  let text = ''
  const timer = setTimeout(() => void reader.cancel(), 3_000)
  while (text.length < maxShown) {
    const { done, value } = await reader.read()
    if (done) break
    text += value
  }
  clearTimeout(timer)
  await reader.cancel()
  return text.length < maxShown ? text : `${text.slice(0, maxShown)}\n...`
}

function indent(text: string): string {
  return JSON.stringify(parseJson(text), null, 2) ?? text
}
