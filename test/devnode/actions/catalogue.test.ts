import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { actions } from '../../../src/devnode/actions/catalogue.ts'

interface PublishedAction {
  readonly name: string
  readonly parameters: readonly { name: string; type: string; default?: string | null }[]
  readonly modifiers: readonly string[]
  readonly returns: { table: boolean; columns: readonly { name: string; type: string }[] } | null
}

const file = new URL('../../vectors/streams-actions.json', import.meta.url)
const published = new Map(
  (JSON.parse(readFileSync(file, 'utf8')) as { actions: PublishedAction[] }).actions.map((one) => [
    one.name,
    one,
  ]),
)

const literal = (text: string | null | undefined) => {
  if (text === null || text === undefined) return null
  const plain = text.replaceAll("'", '')
  if (/^(true|false)$/i.test(plain)) return plain.toLowerCase() === 'true'
  return /^\d+$/.test(plain) ? BigInt(plain) : plain
}

describe('every action has the signature the network publishes', () => {
  for (const action of actions.values()) {
    test(action.name, () => {
      const expected = published.get(action.name)
      expect(expected).toBeDefined()
      expect(action.modifiers).toEqual(expected?.modifiers)
      expect(
        action.parameters.map(({ name, type, defaultValue }) => ({
          name: `$${name}`,
          type,
          isOptional: defaultValue !== undefined,
          value: defaultValue ?? null,
        })),
      ).toEqual(
        expected?.parameters.map((parameter) => ({
          name: parameter.name,
          type: parameter.type,
          isOptional: 'default' in parameter,
          value: literal(parameter.default),
        })),
      )
      expect(Object.entries(action.returns?.columns ?? {})).toEqual(
        (expected?.returns?.columns ?? []).map(({ name, type }) => [name, type]),
      )
      expect(action.returns?.isTable ?? false).toBe(expected?.returns?.table ?? false)
    })
  }
})
