import { describe, expect, it } from 'vitest'
import { toCamelCase, toSnakeCase } from '#base/naming.ts'
import { Job } from '#gateway/contract/jobs.ts'
import { entries } from '#gateway/entries.ts'
import type { ParameterType } from '#streamnet/catalogue/entry.ts'
import { catalogue } from '#streamnet/catalogue.ts'

/** Every name in a type, its own members' included. */
function namesIn(type: ParameterType): readonly string[] {
  if (typeof type === 'string' || 'oneOf' in type) return []
  if ('list' in type) return namesIn(type.list)
  if ('map' in type) return namesIn(type.map)
  if ('nullable' in type) return namesIn(type.nullable)
  if ('anyOf' in type) return type.anyOf.flatMap(namesIn)
  return type.record.flatMap(({ name, type: member }) => [name, ...namesIn(member)])
}

const names = [
  ...new Set([
    ...entries.flatMap(({ parameters }) => namesIn({ record: parameters })),
    ...catalogue.flatMap(({ result }) => namesIn(result)),
    ...Object.keys(Job.shape),
  ]),
]

describe('toCamelCase() and toSnakeCase()', () => {
  it('are each other for every parameter and result of the catalogue', () => {
    expect(names.length).toBeGreaterThan(80)
    expect(names.map((name) => toSnakeCase(toCamelCase(name)))).toEqual(names)
    expect(names.filter((name) => /_/.test(toCamelCase(name)) || /[A-Z]/.test(name))).toEqual([])
  })

  it('are each other for every operation and its name in the client', () => {
    expect(catalogue.map(({ name }) => toCamelCase(name))).toEqual(catalogue.map(({ operation }) => operation))
    expect(catalogue.map(({ operation }) => toSnakeCase(operation))).toEqual(catalogue.map(({ name }) => name))
  })
})
