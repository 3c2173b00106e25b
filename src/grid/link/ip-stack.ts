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
  /** The seconds for which it knows the hardware address of another host, and whether TCP that goes on keeps it. */
  readonly addresses: { readonly ageS: readonly [least: number, most: number]; readonly areConfirmed: boolean }
  /** Exponents of 2 of the seconds between two requests for the time: the first, and the most. */
  readonly timePolls: readonly [least: number, most: number]
}

/** The hosts of a session. Plain data: it travels in snapshots. */
export interface Hosts {
  /** The seed that gives each host its stack. */
  readonly seed: number
  /** The last identification that each host used, by address. */
  readonly identifications: Record<string, number>
}

/** Ages of addresses: Linux and Windows ask again 5 s after 15 to 45 s (RFC 4861), lwIP after 5 min, BSD after 20. */
const reachability = { ageS: [20, 50], areConfirmed: true } as const
const tick = { ageS: [285, 300], areConfirmed: false } as const
const twentyMinutes = { ageS: [1_195, 1_200], areConfirmed: false } as const

/** Waits of systemd-timesyncd, and of ntpd, chrony and the clients of small stacks. */
const timesyncd = [5, 11] as const
const ntpd = [6, 10] as const

/** Stacks as captures show them: acknowledgments wait for 200 ms (Windows), 40 ms (Linux), a tick, or not at all. */
const computers: readonly IpStack[] = [
  { timeToLive: 128, window: 64_240, acknowledgeUs: [1_000, 200_000], addresses: reachability, timePolls: ntpd },
  { timeToLive: 128, window: 65_535, acknowledgeUs: [1_000, 200_000], addresses: reachability, timePolls: ntpd },
  { timeToLive: 64, window: 29_200, acknowledgeUs: [38_000, 44_000], addresses: reachability, timePolls: timesyncd },
]

const devices: readonly IpStack[] = [
  { timeToLive: 64, window: 8_192, acknowledgeUs: [1_000, 20_000], addresses: tick, timePolls: ntpd },
  { timeToLive: 64, window: 4_096, acknowledgeUs: [1_000, 51_000], addresses: twentyMinutes, timePolls: ntpd },
  { timeToLive: 60, window: 4_096, acknowledgeUs: [1_000, 100_000], addresses: twentyMinutes, timePolls: ntpd },
  { timeToLive: 30, window: 2_048, acknowledgeUs: [1_000, 3_000], addresses: tick, timePolls: ntpd },
  { timeToLive: 30, window: 8_192, acknowledgeUs: [1_000, 79_000], addresses: tick, timePolls: ntpd },
  { timeToLive: 64, window: 64_240, acknowledgeUs: [38_000, 44_000], addresses: reachability, timePolls: timesyncd },
  { timeToLive: 128, window: 64_240, acknowledgeUs: [1_000, 200_000], addresses: reachability, timePolls: ntpd },
]

/** Finds the stack that the seed gives a host; hosts in the control centre's network are computers. */
export function findStack(hosts: Pick<Hosts, 'seed'>, ip: string): IpStack {
  return findStacks(hosts)(ip)
}

const findStacks = memo(({ seed }: Pick<Hosts, 'seed'>) => memoBounded(4096, (ip: string) => chooseStack(seed, ip)))

function chooseStack(seed: number, ip: string): IpStack {
  // The control centre has 10.20.0.x, stations have the other networks.
  const stacks = parseIpv4(ip)[2] === 0 ? computers : devices
  return stacks[Math.floor(drawSpread(seed ^ toHostNumber(ip), 0) * stacks.length)] as IpStack // a share is below 1
}

/** The IPv4 address of a host as a number of 32 bits. */
export function toHostNumber(ip: string): number {
  const [a = 0, b = 0, c = 0, d = 0] = parseIpv4(ip)
  return (a << 24) | (b << 16) | (c << 8) | d
}

/** Takes the next identification of a host from its counter, which begins at a number of the seed: 1 follows 65535. */
export function takeIdentification({ seed, identifications }: Hosts, ip: string): number {
  const last = identifications[ip] ?? Math.floor(drawSpread(seed ^ toHostNumber(ip), 1) * 0xffff)
  const next = (last % 0xffff) + 1
  identifications[ip] = next
  return next
}

/** Microseconds for which a host knows an address that it learned at a time. */
export function addressAgeUs(hosts: Pick<Hosts, 'seed'>, ip: string, timeUs: number): number {
  const [least, most] = findStack(hosts, ip).addresses.ageS
  return Math.floor((least + (most - least) * drawSpread(hosts.seed ^ toHostNumber(ip), timeUs + 1)) * 1e6)
}

/** Microseconds that a host takes to acknowledge a segment that came at a time. */
export function acknowledgmentDelayUs(hosts: Pick<Hosts, 'seed'>, ip: string, timeUs: number): number {
  const [least, most] = findStack(hosts, ip).acknowledgeUs
  return least + Math.floor((most - least) * drawSpread(hosts.seed ^ toHostNumber(ip), timeUs))
}
