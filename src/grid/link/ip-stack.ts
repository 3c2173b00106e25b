/** The IP stack of each host: what it writes into its headers, when it acknowledges, and its identification counter. */

import { memo, memoBounded } from '../../base/memo.ts'
import { parseIpv4 } from './ipv4.ts'
import { drawSpread } from './spread.ts'

/** The habits of a stack. Times are integer microseconds. */
export interface IpStack {
  readonly timeToLive: number
  /** The window in every segment: receivers read at once, so it does not shrink. */
  readonly window: number
  /** The least and the most time to an acknowledgment that carries nothing else; a second segment has it at once. */
  readonly acknowledgeUs: readonly [least: number, most: number]
}

/** The hosts of a session. Plain data: it travels in snapshots. */
export interface Hosts {
  /** The seed that gives each host its stack. */
  readonly seed: number
  /** The last identification that each host used, by address. */
  readonly identifications: Record<string, number>
}

/**
 * Stacks seen in captures of control networks: the delay of an acknowledgment is a timer of 200 ms that runs freely
 * (Windows), one of 40 ms (Linux), or a tick of the device's own; some devices acknowledge each segment.
 */
const computers: readonly IpStack[] = [
  { timeToLive: 128, window: 64_240, acknowledgeUs: [1_000, 200_000] },
  { timeToLive: 128, window: 65_535, acknowledgeUs: [1_000, 200_000] },
  { timeToLive: 64, window: 29_200, acknowledgeUs: [38_000, 44_000] },
]

const devices: readonly IpStack[] = [
  { timeToLive: 64, window: 8_192, acknowledgeUs: [1_000, 20_000] },
  { timeToLive: 64, window: 4_096, acknowledgeUs: [1_000, 51_000] },
  { timeToLive: 60, window: 4_096, acknowledgeUs: [1_000, 100_000] },
  { timeToLive: 30, window: 2_048, acknowledgeUs: [1_000, 3_000] },
  { timeToLive: 30, window: 8_192, acknowledgeUs: [1_000, 79_000] },
  { timeToLive: 64, window: 64_240, acknowledgeUs: [38_000, 44_000] },
  { timeToLive: 128, window: 64_240, acknowledgeUs: [1_000, 200_000] },
]

/** The stack of a host, which follows from the seed: those of the control centre's network are computers. */
export function findStack(hosts: Pick<Hosts, 'seed'>, ip: string): IpStack {
  return findStacks(hosts)(ip)
}

const findStacks = memo(({ seed }: Pick<Hosts, 'seed'>) =>
  memoBounded(4096, (ip: string) => chooseStack(seed, parseIpv4(ip))),
)

function chooseStack(seed: number, octets: Uint8Array): IpStack {
  const stacks = octets[2] === 0 ? computers : devices
  return stacks[Math.floor(drawSpread(seed ^ toNumber(octets), 0) * stacks.length)] as IpStack // a share is below 1
}

function toNumber([a = 0, b = 0, c = 0, d = 0]: Uint8Array): number {
  return (a << 24) | (b << 16) | (c << 8) | d
}

/**
 * Takes the next identification of a host, whose counter changes in place: at first a number that follows from the
 * seed, then up to 65535, then 1.
 */
export function takeIdentification({ seed, identifications }: Hosts, ip: string): number {
  const last = identifications[ip] ?? Math.floor(drawSpread(seed ^ toNumber(parseIpv4(ip)), 1) * 0xffff)
  const next = (last % 0xffff) + 1
  identifications[ip] = next
  return next
}

/** Microseconds that a host takes to acknowledge a segment that came at a time. */
export function acknowledgmentDelayUs(hosts: Pick<Hosts, 'seed'>, ip: string, timeUs: number): number {
  const [least, most] = findStack(hosts, ip).acknowledgeUs
  return least + Math.floor((most - least) * drawSpread(hosts.seed ^ toNumber(parseIpv4(ip)), timeUs))
}
