import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { nodeVariables } from '#devnode/setting-table.ts'
import { developmentManagers, parseNodeSettings } from '#devnode/settings.ts'
import { createSigner } from '#streamnet/signing/signer.ts'

describe('parseNodeSettings()', () => {
  test('reads an open node of the seed profile, without managers and development methods, from no variables', () => {
    expect(parseNodeSettings({})).toMatchObject({
      chainId: 'sluice-dev',
      profile: { name: 'seed' },
      isDevelopment: false,
      access: 'off',
      keptBodyBytes: 64_000_000,
      maxStoreBytes: 1_000_000_000,
      mode: 'open',
      hasGas: false,
      managers: [],
      writers: [],
      hasLocalStreams: false,
      requiresLocalSignature: true,
      replayWindowMs: 60_000,
      hasSeedNetwork: false,
    })
  })

  test('lets the public keys manage roles on a development node, and the configured wallets write', () => {
    const wallet = `0x${'AB'.repeat(20)}`
    const settings = parseNodeSettings({ STREAMNET_DEVELOPMENT: 'true', STREAMNET_WRITERS: ` ${wallet} ` })
    expect(settings.managers).toEqual(developmentManagers)
    expect(settings.writers).toEqual([wallet.toLowerCase()])
  })

  test('opens a development node unless STREAMNET_NODE says otherwise', () => {
    const access = (variables: object) => parseNodeSettings({ ...variables }).access
    expect(access({ STREAMNET_DEVELOPMENT: 'true' })).toBe('open')
    expect(access({ STREAMNET_DEVELOPMENT: 'true', STREAMNET_NODE: 'off' })).toBe('off')
    expect(access({ STREAMNET_NODE: 'read' })).toBe('read')
  })

  test('knows the addresses of the public keys', () => {
    const addressOf = (key: string) => createSigner(key).address
    expect(developmentManagers).toEqual([addressOf('1'.padStart(64, '0')), addressOf('11'.repeat(32))])
    expect(parseNodeSettings({}).operator).toBe(addressOf('2'.padStart(64, '0')))
  })

  test('asks for the operator on a port that nothing else guards, but not on a development node', () => {
    const operator = { STREAMNET_OPERATOR: `0x${'cd'.repeat(20)}` }
    const development = { STREAMNET_DEVELOPMENT: 'true' }
    const signed = { hasLocalStreams: true, requiresLocalSignature: true }
    const unsigned = { hasLocalStreams: true, requiresLocalSignature: false }
    expect(parseNodeSettings({})).toMatchObject({ hasLocalStreams: false, requiresLocalSignature: true })
    expect(parseNodeSettings(operator)).toMatchObject(signed)
    expect(parseNodeSettings({ ...operator, STREAMNET_LOCAL_SIGNATURE: 'false' })).toMatchObject(unsigned)
    expect(parseNodeSettings(development)).toMatchObject(unsigned)
    expect(parseNodeSettings({ ...development, STREAMNET_LOCAL_SIGNATURE: 'true' })).toMatchObject(signed)
  })

  test('takes the address of a private key for the operator, and the key 2 on a development node without one', () => {
    const key = 'ab'.repeat(32)
    const { address } = createSigner(key)
    const given = parseNodeSettings({ STREAMNET_NODE_KEY: `0x${key}` })
    expect(given).toMatchObject({ operator: address, nodeKey: key, hasLocalStreams: true })
    expect(parseNodeSettings({ STREAMNET_NODE_KEY: key, STREAMNET_OPERATOR: address }).operator).toBe(address)
    expect(parseNodeSettings({ STREAMNET_DEVELOPMENT: 'true' }).nodeKey).toBe('2'.padStart(64, '0'))
    expect(parseNodeSettings({}).nodeKey).toBeUndefined()
    const other = { STREAMNET_DEVELOPMENT: 'true', STREAMNET_OPERATOR: address }
    expect(parseNodeSettings(other).nodeKey).toBeUndefined()
  })

  test('refuses a malformed private key and one of another operator, without repeating it', () => {
    const refusal = (variables: object) => {
      try {
        parseNodeSettings({ ...variables })
      } catch (error) {
        return (error as Error).message
      }
      return 'taken'
    }
    expect(refusal({ STREAMNET_NODE_KEY: 'secret-text' })).toBe(
      'Cannot read settings: STREAMNET_NODE_KEY is not readable, expected a private key of secp256k1, 64 hex digits',
    )
    const key = 'ab'.repeat(32)
    const text = refusal({ STREAMNET_NODE_KEY: key, STREAMNET_OPERATOR: `0x${'cd'.repeat(20)}` })
    expect(text).toContain('expected that of STREAMNET_OPERATOR')
    expect(text).not.toContain(key)
  })

  test.each([
    ['STREAMNET_KEPT_TRANSACTIONS_MB', 1, 1000],
    ['STREAMNET_MAX_STORE_MB', 1, 9000],
    ['STREAMNET_MAX_READ_ROWS', 1000, 10_000_000],
    ['STREAMNET_REPLAY_WINDOW_SECONDS', 1, 3600],
  ] as const)('takes %s from %d to %d and nothing beyond', (name, least, most) => {
    const { parse } = nodeVariables[name]
    const texts = [least - 1, least, most, most + 1].map(String)
    expect(texts.map(parse)).toEqual([null, least, most, null])
  })

  test('takes a chain id of 1 to 64 characters', () => {
    const { parse } = nodeVariables.STREAMNET_CHAIN_ID
    expect([0, 1, 64, 65].map((length) => parse('x'.repeat(length))?.length ?? null)).toEqual([null, 1, 64, null])
  })

  const mistakes: Readonly<Record<string, string>> = {
    STREAMNET_CHAIN_ID: 'two words',
    STREAMNET_PROFILE: 'constructor',
    STREAMNET_DEVELOPMENT: 'yes',
    STREAMNET_MODE: 'closed',
    STREAMNET_NODE: 'on',
    STREAMNET_KEPT_TRANSACTIONS_MB: '0',
    STREAMNET_MAX_STORE_MB: '9001',
    STREAMNET_MAX_READ_ROWS: '999',
    STREAMNET_GAS: '2',
    STREAMNET_SEED_NETWORK: 'onn',
    STREAMNET_OPERATOR: '0x12',
    STREAMNET_AUTOMATIC_SETTLEMENT: 'soon',
    STREAMNET_MAA_ACTIVATION_HEIGHT: '-1',
    STREAMNET_MANAGERS: '0x12,0x34',
    STREAMNET_WRITERS: 'me',
    STREAMNET_LOCAL_SIGNATURE: 'maybe',
    STREAMNET_REPLAY_WINDOW_SECONDS: '0',
  }
  // A secret's text is not repeated; its mistakes are above.
  for (const [name, { expected }] of Object.entries(nodeVariables).filter(([, { isSecret }]) => !isSecret)) {
    test(`refuses a wrong ${name} by its name, and says what it may be`, () => {
      const value = mistakes[name]
      expect(value).toBeDefined()
      expect(() => parseNodeSettings({ [name]: value })).toThrow(
        `Cannot read settings: ${name} is "${value}", expected ${expected}`,
      )
    })
  }

  test('every variable is in docs/devnode.md', () => {
    const page = readFileSync(new URL('../../docs/devnode.md', import.meta.url), 'utf8')
    for (const name of Object.keys(nodeVariables)) expect(page).toContain(`\`${name}\``)
  })
})
