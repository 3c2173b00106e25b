/**
 * Hosts that a front answers for.
 *
 * A page on the Internet can have its own name resolve to 127.0.0.1 (DNS rebinding) and so reach a service of this
 * machine as if it were its own; the name is then in the Host header, which is why it is looked at.
 */

/** Tells whether a request for this authority, such as `localhost:8080`, is answered. */
type HostCheck = (authority: string, localAddress: string | undefined) => boolean

/** Creates the check: this machine's loopback, the address of the connection, and `names`; `*` is every host. */
export function createHostCheck(names: readonly string[]): HostCheck {
  const known = new Set(names.map((name) => normalise(name)))
  if (known.has('*')) return (authority) => parseHost(authority) !== null
  return (authority, localAddress) => {
    const host = parseHost(authority)
    if (host === null) return false
    return isLoopback(host) || known.has(host) || host === normalise(localAddress ?? '')
  }
}

/** The host of an authority without its port, in lower case and without brackets; null when it is malformed. */
function parseHost(authority: string): string | null {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^\s:/?#@[\]\\]+))(?::\d{0,5})?$/i.exec(authority)
  const host = match?.[1] ?? match?.[2]
  return host === undefined ? null : normalise(host)
}

function normalise(name: string): string {
  return name
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/^::ffff:(?=\d+\.)/, '')
    .replace(/(?<=.)\.$/, '')
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host)
}
