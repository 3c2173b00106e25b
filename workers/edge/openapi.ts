/** OpenAPI 3.1 documents, each made of the table of routes of its surface. */

import type { Json, Schema, Schemas } from '#base/json.ts'

/** A body or an answer of one content type. */
export interface Media {
  readonly type: string
  /** Absent for content without a shape, such as a file. */
  readonly schema?: Schema
  readonly example?: Json
}

/** A parameter of the query or a header. */
export interface Parameter {
  readonly name: string
  readonly in: 'query' | 'header'
  readonly required?: true
  readonly description?: string
  readonly schema?: Schema
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>
}

/** One answer of a route. */
export interface Answer {
  readonly description: string
  readonly headers?: Readonly<Record<string, Json>>
  /** Absent for an answer without content. */
  readonly media?: readonly Media[]
}

/** One route, as the document has it. */
export interface DescribedRoute {
  readonly method: 'get' | 'post' | 'put' | 'delete' | 'options'
  /** Names in braces. */
  readonly path: string
  readonly id: string
  readonly summary: string
  /** Security of the operation, where it differs from that of the others. */
  readonly security?: readonly Json[]
  /** The shape of every name in its path; any text when absent. */
  readonly names?: Schema
  readonly parameters?: readonly Parameter[]
  readonly body?: Media & { readonly isRequired?: boolean }
  /** By status or `default`; `$ref` is an answer of the components. */
  readonly answers: Readonly<Record<string, Answer | Reference>>
}

/** A reference within the document. */
export interface Reference {
  readonly $ref: string
}

interface DescribedSurface {
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly servers?: readonly { readonly url: string }[]
  readonly security?: readonly Json[]
  readonly components: Readonly<Record<string, Schemas>>
}

/** Writes the document of a surface. */
export function writeOpenApi({ components, ...surface }: DescribedSurface, routes: readonly DescribedRoute[]): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method]: writeOperation(route) }
  }
  return { openapi: '3.1.0', ...surface, paths, components }
}

/** The reference to a schema of the document. */
export function schemaRef(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` }
}

function writeOperation(route: DescribedRoute): object {
  const { id, summary, security, body, answers } = route
  const parameters = [...pathParameters(route), ...(route.parameters ?? [])]
  return {
    operationId: id,
    summary,
    ...(security !== undefined && { security }),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && {
      requestBody: { ...(body.isRequired === true && { required: true }), content: writeContent([body]) },
    }),
    responses: Object.fromEntries(Object.entries(answers).map(([status, one]) => [status, writeResponse(one)])),
  }
}

function pathParameters({ path, names = { type: 'string' } }: DescribedRoute) {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({ name, in: 'path', required: true, schema: names }))
}

function writeResponse(answer: Answer | Reference): object {
  if ('$ref' in answer) return { $ref: answer.$ref }
  const { media, ...rest } = answer
  return { ...rest, ...(media !== undefined && { content: writeContent(media) }) }
}

function writeContent(media: readonly Media[]): object {
  return Object.fromEntries(
    media.map(({ type, schema, example }) => [
      type,
      { ...(schema !== undefined && { schema }), ...(example !== undefined && { example }) },
    ]),
  )
}
