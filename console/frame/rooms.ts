/** The services behind this page, and a room for each. */

import { signal } from '@preact/signals'
import type { Surface } from './session.ts'

/** One service as the server describes it. */
export interface SurfaceState {
  readonly name: Surface
  readonly isHealthy: boolean
  /** The reason of its bad health; null in good health. */
  readonly reason: string | null
}

/** The services that run here. */
export interface Site {
  readonly version: string
  /** True where a proxy before the server adds a token to the page's requests. */
  readonly hasToken: boolean
  readonly surfaces: readonly SurfaceState[]
}

/** A room: where it is, for which service, and what it is called. */
export interface RoomPlace {
  readonly name: 'ratelimit' | 'grid' | 'streams'
  readonly surface: Surface
  /** The name of the service's token in a deployment. */
  readonly token: string
  readonly title: string
  readonly about: string
  /** The OpenAPI document of the service. */
  readonly document: string
}

/** Every room, in the order of the rail. */
export const rooms: readonly RoomPlace[] = [
  {
    name: 'ratelimit',
    surface: 'ratelimit',
    token: 'ADMIN_TOKEN',
    title: 'Rate limit',
    about: 'Decides whether a request may pass, for Envoy and for anything that can send JSON.',
    document: '/ratelimit/openapi.json',
  },
  {
    name: 'grid',
    surface: 'grid',
    token: 'GRID_TOKEN',
    title: 'Grid',
    about: 'A power grid with its control centre, and attacks on what they say to each other.',
    document: '/api/v1/openapi.json',
  },
  {
    name: 'streams',
    surface: 'streamnet',
    token: 'STREAMNET_TOKEN',
    title: 'Streams',
    about: 'A gateway to data streams, and a development node of their network.',
    document: '/streamnet/v1/openapi.json',
  },
]

/** The name of a service's token. */
export function tokenName(surface: Surface): string {
  return rooms.find((one) => one.surface === surface)?.token ?? ''
}

/** The server's last answer; null before the first. */
export const site = signal<Site | null>(null)

/** True while the server answers. */
export const isReached = signal(true)

const pollMs = 10_000
const retryMs = 2_000

/** Asks the server what runs, now and from time to time. */
export async function watchSite(): Promise<void> {
  for (;;) {
    const known = await readSite().catch(() => null)
    isReached.value = known !== null
    if (known !== null) site.value = known
    await new Promise((resolve) => setTimeout(resolve, isReached.value ? pollMs : retryMs))
  }
}

async function readSite(): Promise<Site | null> {
  const answer = await fetch('/console/surfaces.json', { cache: 'no-store' })
  // The shape is that of workers/edge/console.ts, the only source of this path.
  return answer.ok ? ((await answer.json()) as Site) : null
}

/** The rooms of the services that run here. */
export function openRooms(): readonly RoomPlace[] {
  const known = site.value?.surfaces
  return known === undefined ? [] : rooms.filter(({ surface }) => known.some(({ name }) => name === surface))
}
