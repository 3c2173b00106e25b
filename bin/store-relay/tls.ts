/** The certificates of a store relay: read once, at the start, and checked before anything listens. */

import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls'
import type { StoreTls } from '#ratelimit/store-connections.ts'
import { extraAuthorities } from '../runtime/authorities.ts'

/** TLS towards stores, ready for use; the prefix names the setting of an authority in messages. */
export interface RelayTls extends Pick<StoreTls, 'acceptsAnyName' | 'prefix'> {
  readonly context: SecureContext
}

/** Reads the files that the settings name; authorities are trusted beside the public ones, as in the reference. */
export function readRelayTls(tls: StoreTls): RelayTls {
  const { prefix, acceptsAnyName } = tls
  const authority = readPem(`${prefix}_TLS_CACERT`, tls.authority)
  const certificate = readPem(`${prefix}_TLS_CLIENT_CERT`, tls.certificate)
  const key = readPem(`${prefix}_TLS_CLIENT_KEY`, tls.key)
  if (authority !== null) assertCertificates(`${prefix}_TLS_CACERT`, tls.authority, authority)
  if (certificate !== null) assertCertificates(`${prefix}_TLS_CLIENT_CERT`, tls.certificate, certificate)
  const ca = [...rootCertificates, ...extraAuthorities(), ...(authority === null ? [] : [authority])]
  if (certificate === null || key === null) return { context: createSecureContext({ ca }), acceptsAnyName, prefix }
  return { context: createPairContext(tls, { ca, cert: certificate, key }), acceptsAnyName, prefix }
}

function createPairContext(
  { prefix, certificate, key }: StoreTls,
  options: { readonly ca: string[]; readonly cert: string; readonly key: string },
): SecureContext {
  try {
    return createSecureContext(options)
  } catch (cause) {
    const isMismatch = cause instanceof Error && 'code' in cause && cause.code === mismatch
    const state = isMismatch
      ? `is not the key of the certificate in "${certificate}", expected its own`
      : 'holds no private key that can be read, expected PEM without a passphrase'
    throw new Error(`Cannot start: ${prefix}_TLS_CLIENT_KEY: "${key}" ${state}`, { cause })
  }
}

/** OpenSSL's own name of the mistake. */
const mismatch = 'ERR_OSSL_X509_KEY_VALUES_MISMATCH'

function readPem(name: string, path: string): string | null {
  if (path === '') return null
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? ` (${cause.code})` : ''
    throw new Error(`Cannot start: ${name} is "${path}"${code}, expected a file that can be read`, { cause })
  }
}

const block = /-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs

/** OpenSSL skips text that is not a certificate, so a wrong file would trust no server and report no error. */
function assertCertificates(name: string, path: string, pem: string): void {
  const blocks = pem.match(block) ?? []
  try {
    for (const certificate of blocks) new X509Certificate(certificate)
    if (blocks.length > 0) return
  } catch {
    // Answered below, as no certificate at all is.
  }
  throw new Error(`Cannot start: ${name} is "${path}", expected a file of certificates in PEM`)
}
