/** The one place where tokens are given. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Button, Dialog, Field, State } from './pieces.tsx'
import { openRooms } from './rooms.ts'
import { refused, type Surface, setOperatorToken, setToken, tokenNames, tokens } from './session.ts'

/** A field for each service that runs here. */
export function TokenBox({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const [typed, setTyped] = useState<Partial<Record<Surface, string>>>({})
  const places = openRooms()
  const save = (event: Event) => {
    event.preventDefault()
    for (const { surface } of places) {
      const token = typed[surface]
      if (token !== undefined && token.trim() !== '') setToken(surface, token)
    }
    onClose()
  }
  const forget = () => {
    for (const { surface } of places) setToken(surface, '')
    setOperatorToken('')
  }
  return (
    <Dialog title="Tokens" onClose={onClose}>
      <form class="stack" onSubmit={save}>
        <p class="quiet">
          Kept in this tab until it closes, and sent in a header only. "npm start" prints a link that signs in
          by itself, and keeps the tokens in secrets.json in its state folder; a deployment has them as
          secrets of these names.
        </p>
        {places.map(({ surface, title }) => (
          <Field
            key={surface}
            label={`${title}: ${tokenNames[surface]}`}
            hint={<TokenState surface={surface} />}
          >
            {(control) => (
              <input
                {...control}
                type="password"
                autocomplete="off"
                value={typed[surface] ?? ''}
                placeholder={tokens.value[surface] === undefined ? 'not given' : 'given; type to replace'}
                onInput={({ currentTarget }) => setTyped({ ...typed, [surface]: currentTarget.value })}
              />
            )}
          </Field>
        ))}
        <div class="row end">
          <Button onClick={forget}>Forget all</Button>
          <Button kind="primary" type="submit">
            Use these
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function TokenState({ surface }: { readonly surface: Surface }): JSX.Element {
  if (refused.value.has(surface)) return <State tone="bad">refused by the service</State>
  return tokens.value[surface] === undefined ? (
    <State tone="attention">not given</State>
  ) : (
    <State tone="normal">given</State>
  )
}
