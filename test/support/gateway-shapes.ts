/** The gateway's description held against its answers: every answer that a test gets is of the shape that it names. */

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { describeApi } from '#workers/streamnet/openapi.ts'

// The document is plain JSON; it is walked by paths.
// biome-ignore lint/suspicious/noExplicitAny: parts of a document have any shape
type Part = any

const document: Part = JSON.parse(JSON.stringify(describeApi()))
const routes = Object.keys(document.paths).map((path) => ({
  path,
  matches: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
}))
const ajv = new Ajv2020({ strict: false, validateFormats: false })
const validators = new Map<object, ValidateFunction>()

/**
 * Says what is wrong with an answer by the description of its operation.
 *
 * @param pathname - From the root, without the query.
 * @param body - The JSON that was answered.
 * @returns nothing where the answer is of its shape.
 */
export function findShapeMistakes(method: string, pathname: string, status: number, body: unknown): unknown {
  const route = routes.find(({ path }) => path === pathname) ?? routes.find(({ matches }) => matches.test(pathname))
  const operation = document.paths[route?.path ?? '']?.[method.toLowerCase()]
  if (operation === undefined && status < 400) return 'the description has no such operation'
  const { content }: Part = operation?.responses[status] ?? document.components.responses.Problem
  const schema = (content['application/json'] ?? content['application/problem+json'])?.schema
  if (schema === undefined) return undefined
  const validate = validators.get(schema) ?? ajv.compile({ ...schema, components: document.components })
  validators.set(schema, validate)
  return validate(body) ? undefined : validate.errors
}
