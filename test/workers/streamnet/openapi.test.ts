import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import { entries, insertAll } from '#gateway/entries.ts'
import { ownRoutes } from '#gateway/own-routes.ts'
import { describeGateway, isReadable, routes } from '#gateway/routes.ts'
import { schemaOfType } from '#gateway/schema.ts'
import { describeApi } from '#workers/streamnet/openapi.ts'

// The document is plain JSON.
const document = JSON.parse(JSON.stringify(describeApi()))

describe('describeApi()', () => {
  it('writes a document that a public validator takes', async () => {
    expect(await new Validator().validate(structuredClone(document))).toEqual({ valid: true })
  })

  it('documents every operation with exactly its parameters, and what is required', () => {
    for (const entry of entries) {
      const { post, get } = document.paths[`/streamnet/v1/${entry.name}`]
      const schema = post.requestBody.content['application/json'].schema
      expect(Object.keys(schema.properties)).toEqual(entry.parameters.map(({ name }) => name))
      expect(schema.required ?? []).toEqual(entry.parameters.filter(({ required }) => required).map(({ name }) => name))
      expect(get === undefined).toBe(!isReadable(entry))
      if (get)
        expect((get.parameters ?? []).map(({ name }: { name: string }) => name)).toEqual(
          entry.parameters.map(({ name }) => name),
        )
    }
  })

  it('names each operation once', () => {
    const ids = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods as Record<string, { operationId: string }>).map(({ operationId }) => operationId),
    )
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('refers to nothing that is not there', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path = '']) =>
      path.split('/'),
    )
    expect(references.length).toBeGreaterThan(10)
    for (const path of references) {
      // biome-ignore lint/suspicious/noExplicitAny: walks a document by a path
      expect(path.reduce((part: any, name) => part?.[name], document)).toBeDefined()
    }
  })

  it('has the routes of the gateway and no others', () => {
    const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods as object).map((method) => `${method} ${path}`),
    )
    expect(documented.sort()).toEqual(
      routes()
        .map(({ method, path }) => `${method} /streamnet/v1${path}`)
        .sort(),
    )
  })
})

describe('ownRoutes', () => {
  it('say what they answer, and need a token unless they say otherwise', () => {
    for (const { method, path, isOpen = false, answer } of ownRoutes) {
      const { security, responses } = document.paths[`/streamnet/v1${path}`][method]
      expect([path, security]).toEqual([path, isOpen ? [] : undefined])
      const [[type, media]] = Object.entries<{ schema?: object }>(responses[200].content) as [
        [string, { schema?: object }],
      ]
      expect([path, type]).toEqual([path, 'text' in answer ? answer.text : 'application/json'])
      expect([path, media.schema === undefined]).toEqual([path, 'text' in answer])
    }
  })
})

describe('describeGateway()', () => {
  it('offers GET only for reads', () => {
    const { operations } = JSON.parse(JSON.stringify(describeGateway()))
    for (const { kind, methods } of operations)
      expect(methods.includes('GET')).toBe(kind === 'view' || kind === 'local')
    expect(isReadable(insertAll)).toBe(false)
  })
})

describe('schemaOfType()', () => {
  it('lets an amount that is answered be nothing, and one that is asked for not', () => {
    expect(schemaOfType('wei', 'out')).toMatchObject({ pattern: '^(0|[1-9]\\d{0,77})$', minimum: 0 })
    expect(schemaOfType({ list: 'wei' }, 'in')).toMatchObject({ items: { pattern: '^[1-9]\\d{0,77}$', minimum: 1 } })
  })

  it('writes what is made of others from their schemas', () => {
    expect(schemaOfType({ list: { nullable: 'boolean' } }, 'out')).toEqual({
      type: 'array',
      items: { anyOf: [{ type: 'boolean' }, { type: 'null' }] },
    })
    expect(schemaOfType({ map: 'decimal' }, 'out')).toMatchObject({
      type: 'object',
      additionalProperties: { type: ['string', 'number'] },
    })
  })
})
