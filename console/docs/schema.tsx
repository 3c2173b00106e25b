/** A schema as a list of its members; what they refer to opens below them. */

import type { JSX } from 'preact'
import { type ApiDocument, resolve, type Schema, typeText } from './document.ts'

/** Levels of references that open; deeper ones show their name only. */
const maxDepth = 4

/** The members of a schema. */
export function SchemaView(props: {
  readonly schema: Schema
  readonly document: ApiDocument
  readonly depth?: number
}): JSX.Element {
  const { document, depth = 0 } = props
  const outer = resolve(props.schema, document)
  const schema = outer.items === undefined ? outer : resolve(outer.items, document)
  const members = Object.entries(schema.properties ?? {})
  if (members.length === 0) {
    return (
      <p class="quiet">
        <span class="mono">{typeText(outer)}</span> {outer.description}
      </p>
    )
  }
  return (
    <ul class="members">
      {members.map(([name, member]) => (
        <li key={name}>
          <Member
            name={name}
            schema={member}
            isRequired={schema.required?.includes(name) === true}
            document={document}
            depth={depth}
          />
        </li>
      ))}
    </ul>
  )
}

interface MemberProps {
  readonly name: string
  readonly schema: Schema
  readonly isRequired: boolean
  readonly document: ApiDocument
  readonly depth: number
}

function Member({ name, schema, isRequired, document, depth }: MemberProps): JSX.Element {
  const inner = resolve(schema.items ?? schema, document)
  const line = (
    <>
      <span class="mono">{name}</span> <small class="mono">{typeText(schema)}</small>
      {isRequired ? null : <small> optional</small>} <span class="quiet">{schema.description ?? ''}</span>
    </>
  )
  if (inner.properties === undefined || depth >= maxDepth) return line
  return (
    <details>
      <summary>{line}</summary>
      <SchemaView schema={schema} document={document} depth={depth + 1} />
    </details>
  )
}
