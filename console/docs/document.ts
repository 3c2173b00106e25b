/** The parts of an OpenAPI 3.1 document that the page shows. */

/** A JSON Schema, as far as it is shown. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
}

interface Media {
  readonly schema?: Schema
  readonly example?: unknown
}

interface RawParameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly schema?: Schema
  readonly description?: string
}

interface RawOperation {
  readonly operationId: string
  readonly summary: string
  readonly parameters?: readonly RawParameter[]
  readonly requestBody?: { readonly content?: Readonly<Record<string, Media>> }
  readonly responses?: Readonly<
    Record<string, { readonly description?: string; readonly content?: Readonly<Record<string, Media>> }>
  >
}

/** A document of OpenAPI, as far as the page shows it. */
export interface ApiDocument {
  readonly openapi: string
  readonly info: { readonly title: string; readonly description?: string }
  readonly servers?: readonly { readonly url: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> }
}

/** A parameter of an operation. */
export interface Parameter extends Pick<RawParameter, 'name' | 'in'> {
  readonly isRequired: boolean
  readonly schema: Schema
  readonly description: string | undefined
}

/** One operation, ready to be shown. */
export interface Operation {
  readonly id: string
  readonly method: string
  /** From the root, with names in braces. */
  readonly path: string
  readonly summary: string
  readonly parameters: readonly Parameter[]
  readonly body: { readonly type: string; readonly schema: Schema; readonly example?: unknown } | undefined
  readonly responses: readonly {
    readonly status: string
    readonly description: string
    readonly schema: Schema | undefined
  }[]
}

const methods = ['get', 'post', 'put', 'delete']

/** Every operation of a document, in its order. */
export function listOperations(document: ApiDocument): readonly Operation[] {
  const base = (document.servers?.[0]?.url ?? '').replace(/\/$/, '')
  return Object.entries(document.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const raw = item[method]
      // The services write exactly these members of an operation.
      return raw === undefined ? [] : [readOperation(raw as RawOperation, base + path, method)]
    }),
  )
}

function readOperation(raw: RawOperation, path: string, method: string): Operation {
  const { operationId: id, summary, parameters = [], requestBody, responses = {} } = raw
  const [content] = Object.entries(requestBody?.content ?? {})
  return {
    id,
    method: method.toUpperCase(),
    path,
    summary,
    parameters: parameters.map(readParameter),
    body: content && { type: content[0], schema: content[1].schema ?? {}, example: content[1].example },
    responses: Object.entries(responses).map(([status, { description: text = '', content: media }]) => ({
      status,
      description: text,
      schema: Object.values(media ?? {})[0]?.schema,
    })),
  }
}

function readParameter({ name, in: place, required = false, schema = {}, description }: RawParameter): Parameter {
  return { name, in: place, isRequired: required, schema, description: description ?? schema.description }
}

/** The schema that a reference means. */
export function resolve(schema: Schema, document: ApiDocument): Schema {
  const name = schema.$ref?.split('/').at(-1)
  return name === undefined ? schema : (document.components?.schemas?.[name] ?? {})
}

/** The type of a schema in a few words. */
export function typeText(schema: Schema): string {
  const { $ref, type, items, enum: choices, const: only, anyOf, oneOf, allOf } = schema
  if ($ref !== undefined) return $ref.split('/').at(-1) ?? ''
  if (only !== undefined) return JSON.stringify(only)
  if (choices !== undefined) return choices.map((one) => JSON.stringify(one)).join(' | ')
  const parts = anyOf ?? oneOf ?? allOf
  if (parts !== undefined) return parts.map(typeText).join(allOf === undefined ? ' | ' : ' and ')
  if (items !== undefined) return `list of ${typeText(items)}`
  return typeof type === 'string' ? type : (type?.join(' | ') ?? 'anything')
}
