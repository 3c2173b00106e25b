/** The one place where tokens are given. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Button, State } from './components.tsx'
import { Dialog } from './dialog.tsx'
import { Form, TextField } from './fields.tsx'
import { openRooms } from './rooms.ts'
import { refused, type Surface, sessionKey, setOperatorToken, setToken, signOut, tokens } from './session.ts'

/** A field for each service that runs here. */
export function TokenBox({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const [typed, setTyped] = useState<Partial<Record<Surface, string>>>({})
  const places = openRooms()
  const save = () => {
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
      <Form onSubmit={save}>
        <p class="quiet">
          Kept in this tab until it closes, sent in a header only, and used before the session. "npx sluice token"
          prints them; a deployment has them as secrets of these names.
        </p>
        {sessionKey.value === '' ? null : <SignOut />}
        {places.map(({ surface, title, token }) => (
          <TextField
            key={surface}
            label={`${title}: ${token}`}
            hint={<TokenState surface={surface} />}
            type="password"
            autocomplete="off"
            value={typed[surface] ?? ''}
            placeholder={tokens.value[surface] === undefined ? 'not given' : 'given; type to replace'}
            onValue={(text) => setTyped({ ...typed, [surface]: text })}
          />
        ))}
        <div class="row end">
          <Button onClick={forget}>Forget all</Button>
          <Button kind="primary" type="submit">
            Use these
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}

function TokenState({ surface }: { readonly surface: Surface }): JSX.Element {
  if (refused.value.has(surface)) return <State tone="bad">refused by the service</State>
  if (tokens.value[surface] !== undefined) return <State tone="normal">given</State>
  return sessionKey.value === '' ? (
    <State tone="attention">not given</State>
  ) : (
    <State tone="normal">signed in by the session</State>
  )
}

function SignOut(): JSX.Element {
  const [failure, setFailure] = useState<string | null>(null)
  return (
    <p class="row">
      <State tone="normal">Signed in, in all tabs of this browser</State>
      <Button onClick={async () => setFailure(await signOut())}>Sign out</Button>
      {failure === null ? null : <State tone="bad">{failure}</State>}
    </p>
  )
}
