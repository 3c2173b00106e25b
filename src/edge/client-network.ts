/** Identity of a client: an address of IPv4, or a network of IPv6. */

/** Beyond this many characters an address is cut: the longest that there is has 45. */
const longestAddress = 64
/** The 16-bit groups of an IPv6 address, and those of its network. */
const groups = { all: 8, network: 4 } as const

/**
 * Names the client behind an address. Of IPv6 it is the first 64 bits: a subscriber can send each request from another
 * address of such a network, so counts of whole addresses would never grow.
 *
 * @param address - as the platform or a socket writes it; an IPv4 address within IPv6 counts as that IPv4 address.
 * @returns such as `192.0.2.1` or `2001:db8:0:7::/64`; a text that is not an address as it is, 64 characters at most.
 */
export function clientNetwork(address: string): string {
  const text = address.slice(0, longestAddress)
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(text)?.[1]
  if (mapped !== undefined) return mapped
  const network = expand(text)?.slice(0, groups.network)
  if (network === undefined) return text
  return `${network.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}

/** The eight groups of an IPv6 address; undefined for any other text. */
function expand(text: string): readonly string[] | undefined {
  const [written = ''] = text.split('%', 1)
  const [head = '', tail, ...more] = written.split('::')
  if (more.length > 0 || !written.includes(':')) return undefined
  const before = parseGroups(head)
  const after = parseGroups(tail ?? '')
  const left = groups.all - before.length - after.length
  const isWhole = tail === undefined ? left === 0 : left > 0
  const all = [...before, ...Array.from({ length: Math.max(0, left) }, () => '0'), ...after]
  return isWhole && all.every((group) => /^[0-9a-f]{1,4}$/i.test(group)) ? all : undefined
}

/** The groups of one side of `::`; an IPv4 address at the end counts as two. */
function parseGroups(side: string): readonly string[] {
  const parts = side === '' ? [] : side.split(':')
  return parts.flatMap((part) => (part.includes('.') ? ['0', '0'] : [part]))
}
