/** The settings of the gateway's deployment: who may call it, the key it signs with, the node behind it. */

import { VariableError } from '../base/errors.ts'
import {
  type Environment,
  type Reader,
  reader,
  readVariables,
  text,
  tokenVariable,
  type VariableValues,
  variable,
} from '../base/variables.ts'
import type { Signer } from '../streamnet/index.ts'
import { createSyncSigner } from '../streamnet/signing/sync-signer.ts'
import { GatewayError } from './errors.ts'
import { type PublicRead, parsePublicRead } from './public-read.ts'
import { assertDistinct, fullGrant, type Grant, parseGrants } from './tokens.ts'

/** An address as the client takes it, or nothing. */
const endpoint: Reader<string> = reader('', 'an http or https address without user and password', (value) => {
  const url = URL.canParse(value) ? new URL(value) : undefined
  return url !== undefined && /^https?:$/.test(url.protocol) && !url.username && !url.password ? value : null
})

/** The form of `Origin` as browsers send it: scheme and authority only, or `null` for a page without an origin. */
function isOrigin(text: string): boolean {
  if (/^https?:/i.test(text)) return URL.canParse(text) && new URL(text).origin === text
  return text === 'null' || /^[a-z][a-z0-9+.-]*:\/\/[^/?#@\s]+$/.test(text)
}

/** The entries of a list of origins; a slash at the end of one is left out. */
export function parseOrigins(setting: string): readonly string[] {
  return setting.split(',').map((one) => one.trim().replace(/\/$/, ''))
}

/** Origins of pages; any other text would be equal to the origin of no page. */
const origins: Reader<string> = reader('*', '*, none, or origins such as https://app.example', (value) => {
  const isRead = value === 'none' || parseOrigins(value).every((one) => one === '*' || isOrigin(one))
  return isRead ? value : null
})

/** Every variable of the gateway. `docs/settings.md` prints it. */
export const gatewayVariables = {
  STREAMNET_TOKEN: tokenVariable(),
  STREAMNET_TOKENS: variable(text(''), { isSecret: true }),
  STREAMNET_PRIVATE_KEY: variable(text(''), { isSecret: true }),
  STREAMNET_ENDPOINT: variable(endpoint),
  STREAMNET_CHAIN_ID: variable(text('')),
  STREAMNET_NODE_TOKEN: tokenVariable(),
  STREAMNET_ADMIN_TOKEN: tokenVariable(),
  STREAMNET_ALLOW_ORIGIN: variable(origins),
  STREAMNET_PUBLIC_READ: variable(text('')),
  STREAMNET_PUBLIC_OPERATIONS: variable(text('')),
  STREAMNET_PUBLIC_RATE: variable(text('')),
} as const

interface GatewaySettings {
  readonly grants: readonly Grant[]
  /** Undefined when the deployment has no key: it can read and cannot write. */
  readonly signer: Signer | undefined
  /** The reads that are open to callers without a token; undefined for none. */
  readonly publicRead: PublicRead | undefined
  /** The secret that signs tickets of event streams; empty where no caller has a token. */
  readonly ticketSecret: string
  readonly values: VariableValues<typeof gatewayVariables>
}

/** Reads the settings; invalid_settings names the variable and repeats no token and no key. */
export function readGatewaySettings(environment: Environment): GatewaySettings {
  const values = readValues(environment)
  const { STREAMNET_TOKEN, STREAMNET_TOKENS, STREAMNET_PRIVATE_KEY } = values
  const grants = [
    ...(STREAMNET_TOKEN === '' ? [] : [fullGrant(STREAMNET_TOKEN)]),
    ...(STREAMNET_TOKENS === '' ? [] : parseGrants(STREAMNET_TOKENS)),
  ]
  assertDistinct(grants)
  return {
    grants,
    signer: STREAMNET_PRIVATE_KEY === '' ? undefined : openSigner(STREAMNET_PRIVATE_KEY),
    publicRead: parsePublicRead(values),
    ticketSecret: makeTicketSecret(grants, environment.SLUICE_TOKENS),
    values,
  }
}

/** Made of everything that lets a caller in, so that tickets end when a token is replaced. */
function makeTicketSecret(grants: readonly Grant[], operatorTokens: unknown): string {
  const secrets = [...grants.map(({ token }) => token), operatorTokens].filter(Boolean)
  return secrets.length === 0 ? '' : JSON.stringify(secrets)
}

function readValues(environment: Environment): VariableValues<typeof gatewayVariables> {
  try {
    return readVariables(gatewayVariables, environment)
  } catch (error) {
    if (error instanceof VariableError) throw new GatewayError(error.code, error.message)
    throw error
  }
}

function openSigner(privateKey: string): Signer {
  try {
    return createSyncSigner(privateKey)
  } catch {
    // The cause is left out: nothing about a key belongs in a log.
    throw new GatewayError(
      'invalid_settings',
      'Cannot use STREAMNET_PRIVATE_KEY: expected 64 hex digits of a secp256k1 key',
    )
  }
}
