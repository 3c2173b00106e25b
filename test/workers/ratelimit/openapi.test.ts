/** The OpenAPI document: a validator takes it, it has every operation, and the service answers as it says. */

import { Validator } from '@seriousme/openapi-schema-validator'
import { beforeAll, describe, expect, it } from 'vitest'
import { answers as contract } from '#ratelimit/contract/answers.ts'
import examples from '#workers/ratelimit/examples.json' with { type: 'json' }
import { hostServices } from '../../support/host-services.ts'
import { schemaMistakes } from '../../support/schema-mistakes.ts'

// biome-ignore lint/suspicious/noExplicitAny: documents and answers are walked by path
type Any = any
type Example = (typeof examples)[number]

let document: Any
const answers: { readonly example: Example; readonly response: Response; readonly text: string }[] = []

const { client } = hostServices([{}, { ADMIN_TOKEN: '' }])

beforeAll(async () => {
  document = await (await fetch(`${client().url}/ratelimit/openapi.json`)).json()
  for (const example of examples) {
    const { method, path, body } = example
    const init = { method, ...(body !== undefined && { body: written(body) }) }
    const response = await client().operate(path, init)
    answers.push({ example, response, text: await response.text() })
  }
})

const written = (body: unknown) => (typeof body === 'string' ? body : JSON.stringify(body))

/** Every operation of the document with its path and method. */
function operations(): readonly { path: string; method: string; operation: Any }[] {
  return Object.entries<Any>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Any>(methods).map(([method, operation]) => ({ path, method, operation })),
  )
}

function operationOf(id: string): { path: string; method: string; operation: Any } {
  const found = operations().find(({ operation }) => operation.operationId === id)
  if (found === undefined) throw new Error(`the document has no operation ${id}`)
  return found
}

const mistakesOf = (schema: Any, value: unknown) => schemaMistakes(schema, value, document.components)

/** Mistakes of an answer by its strict schema: a member that the schema lacks is one, too. */
function strictMistakes(schema: Any, value: unknown): unknown {
  const name = Object.keys(contract).find((one) => schema.$ref === `#/components/schemas/${one}`)
  return name === undefined ? undefined : Object(contract)[name].safeParse(value).error?.issues
}

/** The answer without what differs from run to run: times, and lines of statistics beyond their names. */
function steady(text: string, type: string): unknown {
  if (!type.startsWith('application/json')) return text.replace(/ -?[\d.]+$/gm, ' 0')
  const times = new Set(['at', 'windowStart', 'secondsUntilReset', 'blockedUntil', 'checkedMsAgo', 'reset'])
  return JSON.parse(text, (name, value) => {
    if (times.has(name) && typeof value === 'number') return 0
    if (name === 'ticket') return ''
    return name === 'durationUntilReset' ? '0s' : value
  })
}

describe('the OpenAPI document of the rate limiter', () => {
  it('is valid, as a public validator reads OpenAPI 3.1', async () => {
    const validator = new Validator()
    const result = await validator.validate(structuredClone(document))
    expect(result).toEqual({ valid: true })
    expect(validator.version).toBe('3.1')
  })

  it('is served without a token, also by a deployment that has none, and by GET only', async () => {
    for (const [place, path] of [
      [0, '/ratelimit/openapi.json'],
      [0, '/openapi.json'],
      [1, '/ratelimit/openapi.json'],
    ] as const) {
      const response = await fetch(client(place).url + path)
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json'])
      expect(await response.json()).toEqual(document)
    }
    const posted = await fetch(`${client().url}/openapi.json`, { method: 'POST' })
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  it('has every path of the listing, and names each operation once', async () => {
    const listing = await (await client().operate('/')).text()
    const paths = operations().map(({ path }) => path.replace(/\{\w+\}$/, ''))
    for (const line of listing.trimEnd().split('\n')) {
      const path = line.slice(0, line.indexOf(': ')).replace(/\{\w+\}$/, '')
      expect(paths).toContain(`/ratelimit${path}`)
    }
    const ids = operations().map(({ operation }) => operation.operationId)
    expect(ids).toEqual([...new Set(ids)])
  })

  it('has an example of every operation but itself and the event stream', () => {
    const ids = new Set(operations().map(({ operation }) => operation.operationId))
    ids.delete('describeApi')
    // A stream that does not end.
    ids.delete('watchDecisions')
    expect(new Set(examples.map(({ id }) => id))).toEqual(ids)
  })

  it.each(examples.map((example, at) => [`${example.method} ${example.path} ${example.status}`, at] as const))(
    'says what is asked and answered at %s',
    (_, at) => {
      const { example, response, text } = answers[at] ?? expect.fail('there is no answer')
      const { path, method, operation } = operationOf(example.id)
      const type = response.headers.get('content-type') ?? ''
      const known = new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`)
      expect([method.toUpperCase(), example.path.split('?')[0]]).toEqual([example.method, expect.stringMatching(known)])
      if (example.body !== undefined) {
        const [body] = Object.values<Any>(operation.requestBody.content)
        expect(mistakesOf(body.schema, example.body)).toEqual([])
      }
      expect(response.status).toBe(example.status)
      const { schema } = operation.responses[response.status].content[type.split(';')[0] ?? '']
      const isJson = type.startsWith('application/json')
      expect(mistakesOf(schema, isJson ? JSON.parse(text) : text)).toEqual([])
      if (isJson) expect(strictMistakes(schema, JSON.parse(text))).toBeUndefined()
      expect(steady(text, type)).toEqual(
        steady(isJson ? JSON.stringify(example.answer) : written(example.answer), type),
      )
    },
  )

  it('says which operations need the token', async () => {
    const isOperators = ({ path, operation }: { path: string; operation: Any }) =>
      path.startsWith('/ratelimit') &&
      operation.security.every((one: Any) => one.caller === undefined && 'operator' in one)
    for (const { path, method, operation } of operations().filter(isOperators)) {
      const response = await fetch(client().url + path.replace(/\{\w+\}/g, '1'), { method })
      const isOpen = operation.security.length === 0
      expect([path, response.status]).toEqual([path, isOpen ? 200 : 401])
      expect(operation.responses[response.status]).toBeDefined()
    }
  })

  it('says of the bodies and queries of mistakes what they are answered with', async () => {
    const mistakes: readonly (readonly [id: string, path: string, body?: string])[] = [
      ['readCounter', '/counters'],
      ['blockCounter', '/counters?key=k'],
      ['resetCounter', '/counters?domain=none&entry=a=b'],
      ['readStatus', '/config?all=1'],
      ['readRevision', '/config/revisions/99'],
      ['readRevision', '/config/revisions/newest'],
      ['readFile', '/config/files/none'],
      ['putFile', '/config/files/config.bad.yaml', 'domain: ""'],
      ['replaceFiles', '/config/files', '{"files":{"a":1}}'],
      ['replaceFiles', '/config/files', '{"files":{"a":"domain: d\\ndescriptors:\\n  - kee: k\\n"}}'],
      ['checkFiles', '/config/check', '[]'],
      ['rollBack', '/config/rollback', '{"revision":99}'],
      ['rollBack', '/config/rollback', `{"revision":${'9'.repeat(1_000)}}`],
      ['explainRequest', '/explain', '{"domain":1}'],
    ]
    const statuses = new Set<number>()
    for (const [id, path, body] of mistakes) {
      const { method, operation } = operationOf(id)
      const response = await client().operate(path, { method: method.toUpperCase(), ...(body && { body }) })
      statuses.add(response.status)
      expect([path, response.status]).toEqual([path, expect.toSatisfy((status) => status >= 400)])
      const said = operation.responses[response.status]?.content['application/json']
      expect([path, said]).not.toEqual([path, undefined])
      const answer = await response.json()
      expect(mistakesOf(said.schema, answer)).toEqual([])
      expect(strictMistakes(said.schema, answer)).toBeUndefined()
    }
    expect([...statuses].sort()).toEqual([400, 404, 413, 422])
  })

  it('says of a decision that cannot be made what is answered', async () => {
    const response = await client().decide('{}')
    const { headers, content } = operationOf('decide').operation.responses[response.status]
    expect(Object.keys(headers)).toEqual(['x-ratelimit-reason'])
    expect(response.headers.has('x-ratelimit-reason')).toBe(true)
    expect(mistakesOf(content['text/plain'].schema, await response.text())).toEqual([])
  })
})
