import { describe, expect, it } from 'vitest'
import { type ApiDocument, listOperations, resolve, typeText } from '#console/docs/document.ts'

const document: ApiDocument = {
  openapi: '3.1.0',
  info: { title: 'Things' },
  servers: [{ url: '/api/v1/' }],
  paths: {
    '/things/{id}': {
      get: {
        operationId: 'readThing',
        summary: 'One thing',
        parameters: [
          { name: 'id', in: 'path', required: true, schema: { type: 'integer' } },
          { name: 'page', in: 'query', schema: { type: 'integer', description: 'from 1' } },
        ],
        responses: {
          200: {
            description: 'it',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } },
          },
        },
      },
    },
  },
  components: { schemas: { Thing: { type: 'object', properties: { name: { type: 'string' } } } } },
}

describe('listOperations()', () => {
  it('puts the server before the path and describes parameters by their schemas', () => {
    expect(listOperations(document)).toEqual([
      {
        id: 'readThing',
        method: 'GET',
        path: '/api/v1/things/{id}',
        summary: 'One thing',
        parameters: [
          { name: 'id', in: 'path', isRequired: true, schema: { type: 'integer' } },
          {
            name: 'page',
            in: 'query',
            isRequired: false,
            schema: { type: 'integer', description: 'from 1' },
            description: 'from 1',
          },
        ],
        responses: [{ status: '200', description: 'it', schema: { $ref: '#/components/schemas/Thing' } }],
      },
    ])
  })
})

describe('typeText()', () => {
  it.each([
    [{ $ref: '#/components/schemas/Thing' }, 'Thing'],
    [{ type: 'array', items: { type: 'string' } }, 'list of string'],
    [{ type: ['string', 'null'] }, 'string | null'],
    [{ enum: [1, 'a'] }, '1 | "a"'],
    [{ anyOf: [{ type: 'integer' }, { type: 'null' }] }, 'integer | null'],
    [{}, 'anything'],
  ])('writes %j in a few words', (schema, text) => {
    expect(typeText(schema)).toBe(text)
  })
})

describe('resolve()', () => {
  it('finds the schema of a reference, and an empty one where the document lacks it', () => {
    expect(resolve({ $ref: '#/components/schemas/Thing' }, document).type).toBe('object')
    expect(resolve({ $ref: '#/components/schemas/None' }, document)).toEqual({})
  })
})
