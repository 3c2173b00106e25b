/** Addresses of IPv4 and IPv6, and tables that find the networks that hold one (RFC 4632, RFC 4291). */

/** A network: the octets of its address, of which the first `length` bits count. */
export interface Network {
  /** 4 or 16 octets. An IPv4 address within IPv6 (`::ffff:192.0.2.1`) is the IPv4 address. */
  readonly octets: readonly number[]
  readonly length: number
}

/** Reads 4 or 16 octets; null for any other text, also for IPv4 with a leading 0, which some read as octal. */
export function parseAddress(text: string): readonly number[] | null {
  if (text.length > 45) return null
  if (!text.includes(':')) return parseIpv4(text)
  const octets = parseIpv6(text)
  const isMapped = octets?.slice(0, 12).every((octet, at) => octet === (at < 10 ? 0 : 0xff))
  return isMapped === true ? (octets?.slice(12) ?? null) : octets
}

/** Reads `192.0.2.0/24` or `2001:db8::/32`, or an address as a network of one; null for bits behind the prefix. */
export function parseNetwork(text: string): Network | null {
  const [address = '', prefix, ...more] = text.split('/')
  const octets = parseAddress(address)
  if (octets === null || more.length > 0) return null
  const most = octets.length * 8
  if (prefix === undefined) return { octets, length: most }
  const isMapped = octets.length === 4 && address.includes(':')
  const length = /^\d{1,3}$/.test(prefix) ? Number(prefix) - (isMapped ? 96 : 0) : -1
  if (length < 0 || length > most) return null
  return maskOctets(octets, length) === maskOctets(octets, most) ? { octets, length } : null
}

/** Lists what is kept for the networks that hold an address, the longest prefix first. */
export interface NetworkTable<T> {
  list(octets: readonly number[]): readonly T[]
}

/** Makes a table; of equal networks the first counts. A lookup costs a step for each length of prefix in it. */
export function createNetworkTable<T>(rows: Iterable<readonly [network: Network, value: T]>): NetworkTable<T> {
  const [ipv4, ipv6] = [new Map<number, Map<string, T>>(), new Map<number, Map<string, T>>()]
  for (const [{ octets, length }, value] of rows) {
    const byLength = octets.length === 4 ? ipv4 : ipv6
    const networks = byLength.get(length) ?? new Map<string, T>()
    const masked = maskOctets(octets, length)
    if (!networks.has(masked)) networks.set(masked, value)
    byLength.set(length, networks)
  }
  const longestFirst = (byLength: typeof ipv4) => [...byLength].sort(([one], [other]) => other - one)
  const [sorted4, sorted6] = [longestFirst(ipv4), longestFirst(ipv6)]
  return {
    list(octets) {
      const found: T[] = []
      for (const [length, networks] of octets.length === 4 ? sorted4 : sorted6) {
        const value = networks.get(maskOctets(octets, length))
        if (value !== undefined) found.push(value)
      }
      return found
    },
  }
}

/** The first `length` bits as a text that can be compared, the others 0. */
function maskOctets(octets: readonly number[], length: number): string {
  const masked = octets.map((octet, at) => octet & (0xff00 >> Math.min(8, Math.max(0, length - at * 8))))
  return String.fromCharCode(...masked)
}

function parseIpv4(text: string): readonly number[] | null {
  const parts = text.split('.')
  const isRight = parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)
  return isRight ? parts.map(Number) : null
}

function parseIpv6(text: string): readonly number[] | null {
  const [head = '', tail, ...more] = text.split('::')
  const before = parseGroups(head, { mayEndInIpv4: tail === undefined })
  const after = parseGroups(tail ?? '', { mayEndInIpv4: true })
  if (before === null || after === null || more.length > 0) return null
  const left = 16 - before.length - after.length
  const isWhole = tail === undefined ? left === 0 : left >= 2
  return isWhole ? [...before, ...new Array<number>(left).fill(0), ...after] : null
}

/** The octets of one side of `::`; only the last group of an address may be an IPv4 address. */
function parseGroups(side: string, { mayEndInIpv4 }: { readonly mayEndInIpv4: boolean }): readonly number[] | null {
  if (side === '') return []
  const groups = side.split(':')
  const octets: number[] = []
  for (const [at, group] of groups.entries()) {
    const ipv4 = mayEndInIpv4 && at === groups.length - 1 && group.includes('.') ? parseIpv4(group) : null
    if (ipv4 !== null) octets.push(...ipv4)
    else if (/^[0-9a-f]{1,4}$/i.test(group))
      octets.push(Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff)
    else return null
  }
  return octets
}
