/** Forms that name: a stream on the network or in this browser, and a wallet in this browser. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Button, Problem, State } from '../frame/components.tsx'
import { Form, TextField } from '../frame/fields.tsx'
import { useAction } from '../frame/resource.ts'
import { keepName, keptNames, longestName, networkNames, placeOf, publishName, type StreamPlace } from './name-book.ts'

/** Names a stream. @param isOwn - The gateway's key owns it, so that the name goes to the network. */
export function StreamNameForm(props: { readonly stream: StreamPlace; readonly isOwn: boolean }): JSX.Element {
  const { stream, isOwn } = props
  const names = isOwn ? networkNames : keptNames
  const place = placeOf(stream)
  return (
    <NameForm
      key={`${place} ${isOwn}`}
      label="Name of the stream"
      hint={
        isOwn
          ? 'written to the network: every reader gets it'
          : 'kept in this browser; empty for the name that its owner gave'
      }
      name={names.value.get(place) ?? ''}
      onName={(name) => (isOwn ? publishName(stream, name) : keepName(place, name))}
      isRequired={isOwn}
    />
  )
}

/** Tags a wallet. */
export function WalletTagForm({ wallet }: { readonly wallet: string }): JSX.Element {
  return (
    <NameForm
      key={wallet}
      label="Tag of the wallet"
      hint="kept in this browser; shown wherever the wallet is"
      name={keptNames.value.get(wallet) ?? ''}
      onName={(name) => keepName(wallet, name)}
    />
  )
}

interface NameFormProps {
  readonly label: string
  readonly hint: string
  readonly name: string
  readonly onName: (name: string) => Promise<void> | void
  /** True where an empty name cannot be sent. */
  readonly isRequired?: boolean
}

function NameForm({ label, hint, name, onName, isRequired = false }: NameFormProps): JSX.Element {
  const [typed, setTyped] = useState<string | null>(null)
  const [isDone, setDone] = useState(false)
  const { isBusy, error, run } = useAction()
  const text = (typed ?? name).trim()
  const isLong = text.length > longestName
  const save = async () => {
    setDone(false)
    await onName(text)
    // What is typed meanwhile stays.
    setTyped((now) => (now === typed ? null : now))
    setDone(true)
  }
  return (
    <Form class="write" onSubmit={() => run(save)}>
      <TextField
        label={label}
        hint={hint}
        error={isLong ? `expected at most ${longestName} characters` : undefined}
        value={typed ?? name}
        onValue={setTyped}
      />
      <div class="row">
        <Button type="submit" disabled={isBusy || isLong || text === name || (isRequired && text === '')}>
          Save
        </Button>
        {isDone && typed === null ? <State tone="good">Saved</State> : null}
      </div>
      <Problem error={error} />
    </Form>
  )
}
