/** The catalogue's types as JSON Schema (2020-12, which is OpenAPI 3.1's). */

import type { Schema } from '../base/json.ts'
import type { BasicType, Parameter, ParameterType } from '../streamnet/catalogue/entry.ts'

/** The direction of a value. One that comes in may be null where it may be left out. */
export type Direction = 'in' | 'out'

/** The schema of parameters or of a record. */
export function schemaOfRecord(members: readonly Parameter[], direction: Direction): Schema {
  const required = members.filter((member) => member.required).map(({ name }) => name)
  const schemaOf = (member: Parameter) => {
    const schema = schemaOfParameter(member, direction)
    return direction === 'in' && !member.required ? { anyOf: [schema, { type: 'null' }] } : schema
  }
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(members.map((member) => [member.name, schemaOf(member)])),
    ...(required.length > 0 && { required }),
  }
}

/** The schema of one parameter, with its bounds, default and sentence. */
export function schemaOfParameter(
  { type, min, max, about, default: otherwise }: Parameter,
  direction: Direction,
): Schema {
  return {
    ...schemaOfType(type, direction),
    ...(min !== undefined && { minimum: min }),
    ...(max !== undefined && { maximum: max }),
    ...(otherwise !== undefined && { default: otherwise }),
    ...(about !== '' && { description: about }),
  }
}

/** The schema of a type. */
export function schemaOfType(type: ParameterType, direction: Direction): Schema {
  const schemaOf = (inner: ParameterType) => schemaOfType(inner, direction)
  if (type === 'wei' && direction === 'out') return balance
  if (typeof type === 'string') return basic[type]
  if ('oneOf' in type) return { type: 'string', enum: type.oneOf }
  if ('list' in type) return { type: 'array', items: schemaOf(type.list) }
  if ('map' in type) {
    return { type: 'object', propertyNames: basic.stream_id, additionalProperties: schemaOf(type.map) }
  }
  if ('nullable' in type) return { anyOf: [schemaOf(type.nullable), { type: 'null' }] }
  if ('record' in type) return schemaOfRecord(type.record, direction)
  return { anyOf: type.anyOf.map(schemaOf) }
}

function text(pattern: string): Schema {
  return { type: 'string', pattern }
}
const integer: Schema = { type: ['integer', 'string'], pattern: '^-?\\d{1,19}$' }
const decimal: Schema = {
  type: ['string', 'number'],
  pattern: '^[+-]?(\\d{1,64}(\\.\\d{0,64})?|\\.\\d{1,64})([eE][+-]?\\d{1,3})?$',
}
/** An amount that is paid or held, 0 included; a parameter of the same type is at least one wei. */
const balance: Schema = { type: ['string', 'integer'], pattern: '^(0|[1-9]\\d{0,77})$', minimum: 0 }
/** Hex behind 0x, or base64 with its padding. */
const bytes: Schema = text('^(0x([0-9a-fA-F]{2})*|([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}(==|[A-Za-z0-9+/]=))?)$')
const uuid: Schema = { ...text('^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$'), format: 'uuid' }

const plainArgument: Schema = {
  anyOf: [
    { type: ['null', 'boolean', 'string', 'number'] },
    only({ int8: integer }),
    only({ bytea: bytes }),
    only({ uuid }),
    only(
      { numeric: { anyOf: [decimal, { type: 'array', minItems: 1, items: decimal }] } },
      {
        precision: { type: 'integer', minimum: 1, maximum: 1000 },
        scale: { type: 'integer', minimum: 0, maximum: 1000 },
      },
    ),
  ],
}

/** An object of these members and of no others. */
function only(required: Schema, others: Schema = {}): Schema {
  const properties = { ...required, ...others }
  return { type: 'object', additionalProperties: false, properties, required: Object.keys(required) }
}

const basic: Readonly<Record<BasicType, Schema>> = {
  string: { type: 'string' },
  boolean: { type: 'boolean' },
  number: { type: 'number' },
  stream_id: text('^st[a-z0-9]{30}$'),
  address: text('^(0x)?[0-9a-fA-F]{40}$'),
  tx_hash: text('^(0x)?[0-9a-fA-F]{64}$'),
  integer,
  decimal,
  wei: { type: ['string', 'integer'], pattern: '^[1-9]\\d{0,77}$', minimum: 1 },
  bytes,
  argument: { anyOf: [plainArgument, { type: 'array', items: plainArgument }] },
  void: { type: 'null' },
}
