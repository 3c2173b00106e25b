/** Texts for the log about a store that a relay cannot reach. */

import type { RelayTls } from './tls.ts'

/** Codes of Node that say all there is to say. */
const plain: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such socket, expected a server that listens there',
  ENOTSOCK: 'the path is not a UNIX socket',
  EACCES: 'this user may not open the socket',
  EPERM: 'this user may not open the socket',
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'the host name has no address',
  EAI_AGAIN: 'the host name cannot be looked up',
  ETIMEDOUT: 'no answer from the host',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no route to the network',
  CERT_HAS_EXPIRED: "the server's certificate has expired",
  CERT_NOT_YET_VALID: "the server's certificate is not valid yet",
}

const untrusted = new Set([
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_SIGNATURE_FAILURE',
])

/** Alerts by which a server refuses what the client has shown, or has not shown. */
const refusedClient =
  /ALERT_(?:CERTIFICATE_REQUIRED|UNKNOWN_CA|BAD_CERTIFICATE|HANDSHAKE_FAILURE|ACCESS_DENIED|CERTIFICATE_UNKNOWN|DECRYPT_ERROR)/

/** Words for an error of the connection to a store, or for its end before the server said anything (null). */
export function failureText(
  error: Error | null,
  { tls, isSecure }: { readonly tls: RelayTls | null; readonly isSecure: boolean },
): string {
  const prefix = `${tls?.prefix ?? 'REDIS'}_TLS`
  const code = error !== null && 'code' in error ? String(error.code) : ''
  // TLS 1.3 lets a client finish before the server has looked at its certificate: then the connection just ends.
  if (refusedClient.test(code) || (isSecure && !code.startsWith('ERR_'))) {
    return `the server ended the TLS handshake, as one does that wants a client certificate it trusts, expected one in ${prefix}_CLIENT_CERT`
  }
  if (untrusted.has(code)) {
    return `the server's certificate is of an authority that is not trusted, expected that of ${prefix}_CACERT`
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return `the server's certificate is for other names (${error?.message ?? ''}), expected the host's, or ${prefix}_SKIP_HOSTNAME_VERIFICATION=true`
  }
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER') return 'the server does not speak TLS here'
  if (error === null) return 'the server closed the connection'
  return plain[code] ?? (error.message || code)
}
