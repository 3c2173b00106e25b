/** The settings of the gateway: checked as a whole, and no secret is repeated. */

import { expect, test } from 'vitest'
import { readGatewaySettings } from '#gateway/settings.ts'

const token = 'a-token-of-20-letters'

test('readGatewaySettings() of nothing has no tokens and no key', () => {
  expect(readGatewaySettings({})).toMatchObject({ grants: [], signer: undefined })
})

test('readGatewaySettings() opens the key and lists the full token before the others', () => {
  const others = JSON.stringify([{ name: 'n', token: `${token}2`, scopes: ['read'] }])
  const { grants, signer } = readGatewaySettings({
    STREAMNET_TOKEN: token,
    STREAMNET_TOKENS: others,
    STREAMNET_PRIVATE_KEY: '1'.padStart(64, '0'),
  })
  expect(grants.map(({ name }) => name)).toEqual(['full', 'n'])
  expect(signer?.address).toBe('0x7e5f4552091a69125d5dfcb7b8c2659029395bdf')
})

test('readGatewaySettings() has a secret for tickets where a caller has a token, of an operator too', () => {
  expect(readGatewaySettings({}).ticketSecret).toBe('')
  const settings = [
    { STREAMNET_TOKEN: token },
    { STREAMNET_TOKEN: `${token}2` },
    { SLUICE_TOKENS: `[{"name":"ops","token":"${token}","scopes":["*"]}]` },
    { SLUICE_TOKENS: `[{"name":"ops","token":"${token}2","scopes":["*"]}]` },
  ]
  const secrets = settings.map((environment) => readGatewaySettings(environment).ticketSecret)
  expect(secrets).not.toContain('')
  expect(new Set(secrets).size).toBe(4)
})

test.each([
  ['STREAMNET_ENDPOINT', 'node.example', 'expected an http or https address'],
  ['STREAMNET_ENDPOINT', 'ftp://node.example', 'expected an http or https address'],
  ['STREAMNET_ALLOW_ORIGIN', 'app.example', 'expected *, none, or origins such as https://app.example'],
  ['STREAMNET_ALLOW_ORIGIN', 'https://app.example/feed', 'expected *, none, or origins'],
  ['STREAMNET_ALLOW_ORIGIN', 'https://App.example', 'expected *, none, or origins'],
  ['STREAMNET_ALLOW_ORIGIN', 'https://app.example;https://b.example', 'expected *, none, or origins'],
  ['STREAMNET_ALLOW_ORIGIN', 'of', 'expected *, none, or origins'],
  ['STREAMNET_PRIVATE_KEY', 'beef', 'expected 64 hex digits'],
  ['STREAMNET_TOKENS', '{}', 'it is not a list'],
])('readGatewaySettings() refuses %s="%s" by its name', (name, value, expected) => {
  const read = () => readGatewaySettings({ [name]: value })
  expect(read).toThrow(expect.objectContaining({ code: 'invalid_settings' }))
  expect(read).toThrow(name)
  expect(read).toThrow(expected)
})

test.each([
  '*',
  'none',
  'https://app.example',
  'https://app.example/, http://localhost:3000',
  'http://[::1]:8080',
  'null, chrome-extension://abcdefghijklmnop',
])('readGatewaySettings() takes the origins "%s"', (origins) => {
  expect(readGatewaySettings({ STREAMNET_ALLOW_ORIGIN: origins }).values.STREAMNET_ALLOW_ORIGIN).toBe(origins)
})

test('readGatewaySettings() takes empty origins for all', () => {
  expect(readGatewaySettings({ STREAMNET_ALLOW_ORIGIN: '' }).values.STREAMNET_ALLOW_ORIGIN).toBe('*')
})
