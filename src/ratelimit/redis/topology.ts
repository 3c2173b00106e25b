/** Choice of the server to ask: the slots of a cluster, redirections, and the master that sentinels name. */

import type { Address, Endpoint } from './address.ts'
import type { Reply } from './resp.ts'
import { slotCount } from './slot.ts'

/** The master of every slot, by slot; a hole is a slot without a server. */
export type SlotMap = readonly (Address | undefined)[]

/** Text of an address, for keys of maps and for messages. */
export function addressText(endpoint: Endpoint): string {
  return 'path' in endpoint ? endpoint.path : `${endpoint.host}:${endpoint.port}`
}

/**
 * Reads the reply of `CLUSTER SLOTS`: ranges, each with its master first.
 *
 * @param asked - the server that answered; an empty host in the reply means that one.
 * @throws TypeError when the reply has another shape.
 */
export function readSlots(reply: Reply, asked: Address): SlotMap {
  const map: (Address | undefined)[] = new Array(slotCount)
  if (!Array.isArray(reply)) throw new TypeError('Cannot read CLUSTER SLOTS: the reply is not a list')
  for (const range of reply) {
    const [first, last, master] = Array.isArray(range) ? range : []
    const [host, port] = Array.isArray(master) ? master : []
    if (typeof first !== 'number' || typeof last !== 'number' || typeof port !== 'number') {
      throw new TypeError('Cannot read CLUSTER SLOTS: a range without first, last and master')
    }
    const name = typeof host === 'string' && host !== '' ? host : asked.host
    map.fill({ host: name, port }, first, last + 1)
  }
  return map
}

/** A redirection: `MOVED` for good, `ASK` for one command. */
interface Redirection {
  readonly kind: 'MOVED' | 'ASK'
  readonly address: Address
}

/** Reads an error text such as `MOVED 3999 127.0.0.1:6381`; null for every other error. */
export function readRedirection(text: string, asked: Address): Redirection | null {
  const match = /^(MOVED|ASK) \d+ (.*):(\d+)$/.exec(text)
  if (match === null) return null
  const kind = match[1] === 'ASK' ? 'ASK' : 'MOVED'
  return { kind, address: { host: match[2] || asked.host, port: Number(match[3]) } }
}

/** Reads the reply of `SENTINEL get-master-addr-by-name`; null when the sentinel does not know the master. */
export function readMaster(reply: Reply): Address | null {
  const [host, port] = Array.isArray(reply) ? reply : []
  return typeof host === 'string' && typeof port === 'string' ? { host, port: Number(port) } : null
}
