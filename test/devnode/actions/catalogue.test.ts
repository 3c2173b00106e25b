import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { absentActions } from '#devnode/actions/absent.ts'
import { actions } from '#devnode/actions/catalogue.ts'
import { keys, startTestNode } from '../../support/devnode.ts'

interface PublishedAction {
  readonly name: string
  readonly parameters: readonly { name: string; type: string; default?: string | null }[]
  readonly modifiers: readonly string[]
  readonly returns: { table: boolean; columns: readonly { name: string; type: string }[] } | null
}

const file = new URL('../../vectors/streams-actions.json', import.meta.url)
const published = new Map(
  (JSON.parse(readFileSync(file, 'utf8')) as { actions: PublishedAction[] }).actions.map((one) => [one.name, one]),
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

describe('absentActions', () => {
  test('are the public actions of the network that the node does not have, name for name', () => {
    const open = [...published.values()].filter(({ modifiers }) => modifiers.includes('PUBLIC'))
    const missing = open.map(({ name }) => name).filter((name) => !actions.has(name))
    expect([...absentActions.keys()].sort()).toEqual(missing.sort())
  })

  for (const [name, reason] of absentActions) {
    test(`${name} is refused in a call and in a transaction, with the reason`, () => {
      const text = `unknown action: action "${name}" does not exist in namespace "main": the development node ${reason}`
      const node = startTestNode()
      expect(() => node.call(name, [])).toThrow(`-300 ${text}`)
      expect(node.execute(keys.owner, name, [])).toMatchObject({ code: 65535, log: `ERROR: ${text}` })
    })
  }
})
