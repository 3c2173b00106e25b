/** The operations of every service, from their OpenAPI documents, with a form that tries each. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Empty, Skeleton, Tabs } from '../frame/components.tsx'
import type { RoomProps } from '../frame/lazy.tsx'
import { Loaded } from '../frame/loaded.tsx'
import { useAnswer } from '../frame/resource.ts'
import { openRooms, type RoomPlace } from '../frame/rooms.ts'
import { route } from '../frame/router.ts'
import { useNames } from '../frame/search-index.ts'
import { type ApiDocument, listOperations, type Operation } from './document.ts'
import { SchemaView } from './schema.tsx'
import { TryIt } from './try-it.tsx'

/** The page at `/docs`. */
export function Docs({ path: [name] }: RoomProps): JSX.Element {
  const places = openRooms()
  const place = places.find((one) => one.name === name) ?? places[0]
  return (
    <div class="stack">
      <div class="lead">
        <h1>Docs</h1>
      </div>
      <Tabs label="Documents" base="/docs" tabs={places.map((one) => [one.name, one.title])} current={place?.name} />
      {place === undefined ? <Skeleton rows={8} /> : <Document key={place.name} place={place} />}
    </div>
  )
}

function Document({ place }: { readonly place: RoomPlace }): JSX.Element {
  const loaded = useAnswer<ApiDocument>(place.surface, place.document)
  // The frame says that the token is missing.
  if (loaded.error?.status === 401) return <p class="quiet">The description asks for the token, too.</p>
  return (
    <Loaded of={loaded} rows={10}>
      {(document) => <Operations document={document} place={place} />}
    </Loaded>
  )
}

interface OperationsProps {
  readonly document: ApiDocument
  readonly place: RoomPlace
}

function Operations({ document, place }: OperationsProps): JSX.Element {
  const [text, setText] = useState('')
  const operations = listOperations(document)
  useNames(
    `docs ${place.name}`,
    operations.map(({ id, summary }) => ({ name: `${id} ${summary}`, kind: 'operation', href: hrefOf(place, id) })),
  )
  const found = filterOperations(operations, text)
  const chosen = operations.find(({ id }) => id === route.value.query.get('operation')) ?? found[0]
  return (
    <>
      <p>
        {document.info.description} <a href={place.document}>OpenAPI {document.openapi}</a>
      </p>
      <div class="docs">
        <nav aria-label="Operations">
          <input
            type="search"
            aria-label="Filter operations"
            placeholder={`Filter ${operations.length} operations`}
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
          <OperationList operations={found} chosen={chosen} place={place} />
        </nav>
        {chosen === undefined ? null : (
          <OperationView key={chosen.id} operation={chosen} document={document} place={place} />
        )}
      </div>
    </>
  )
}

/** The operations whose id, path and summary have every word of a text. */
function filterOperations(operations: readonly Operation[], text: string): readonly Operation[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return operations.filter(({ id, path, summary }) =>
    words.every((word) => `${id} ${path} ${summary}`.toLowerCase().includes(word)),
  )
}

interface OperationListProps {
  readonly operations: readonly Operation[]
  readonly chosen: Operation | undefined
  readonly place: RoomPlace
}

function OperationList({ operations, chosen, place }: OperationListProps): JSX.Element {
  return (
    <>
      <ul class="operations">
        {operations.map((operation) => (
          <li key={operation.id}>
            <a
              href={hrefOf(place, operation.id)}
              aria-current={operation === chosen ? 'true' : undefined}
              title={operation.summary}
            >
              <span class="method">{operation.method}</span> <span class="mono">{operation.path}</span>
            </a>
          </li>
        ))}
      </ul>
      {operations.length === 0 ? (
        <Empty title="No operation has these words">Use fewer words, or a part of one.</Empty>
      ) : null}
    </>
  )
}

function hrefOf(place: RoomPlace, id: string): string {
  return `/docs/${place.name}?operation=${encodeURIComponent(id)}`
}

function OperationView(props: OperationsProps & { readonly operation: Operation }): JSX.Element {
  const { operation, document, place } = props
  const { method, path, summary, body, responses } = operation
  return (
    <article class="stack">
      <div class="lead">
        <h2>{summary}</h2>
        <p class="mono">
          {method} {path}
        </p>
      </div>
      <TryIt operation={operation} surface={place.surface} />
      {body === undefined ? null : (
        <section>
          <h3>Body, {body.type}</h3>
          <SchemaView schema={body.schema} document={document} />
        </section>
      )}
      <section>
        <h3>Answers</h3>
        {responses.map(({ status, description: text, schema }) => (
          <details key={status}>
            <summary>
              <span class="mono">{status}</span> {text}
            </summary>
            {schema === undefined ? <p class="quiet">no body</p> : <SchemaView schema={schema} document={document} />}
          </details>
        ))}
      </section>
    </article>
  )
}
