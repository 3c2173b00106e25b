/** The first page: each service with its health, its activity, its room, its documents and a request to try. */

import type { ComponentType, JSX } from 'preact'
import { Empty, Problem, Skeleton, State } from '../frame/components.tsx'
import { ConsoleError } from '../frame/errors.ts'
import { isReached, openRooms, type RoomPlace, type SurfaceState, site } from '../frame/rooms.ts'
import { hasAccess, refused } from '../frame/session.ts'
import { signedOutReason } from '../frame/signed-out.tsx'
import { Summary as GridSummary } from '../grid/summary.tsx'
import { Summary as RateLimitSummary } from '../ratelimit/summary.tsx'
import { Summary as StreamsSummary } from '../streamnet/summary.tsx'

/** The page at `/`. */
export function Home(): JSX.Element {
  const known = site.value
  if (known === null && !isReached.value) {
    const error = new ConsoleError('Cannot ask what runs here: the server does not answer', {
      status: 0,
      hint: 'This page asks again every two seconds. Start the server if it is stopped.',
    })
    return <Problem error={error} />
  }
  if (known === null) return <Skeleton rows={8} />
  const places = openRooms()
  return (
    <div class="stack">
      <div class="lead">
        <h1>{places.length === 1 ? `Sluice ${places[0]?.title.toLowerCase()}` : 'Sluice'}</h1>
        <p class="quiet">
          {places.length === 1 ? 'One service runs' : `${places.length} services run`} on{' '}
          <span class="mono">{location.host}</span>, version {known.version}.
        </p>
      </div>
      {places.length === 0 ? (
        <Empty title="No service runs here">
          <code>npm start</code> runs all three on this machine, and <code>wrangler deploy</code> on yours at
          Cloudflare.
        </Empty>
      ) : null}
      <div class="services">
        {places.map((place) => (
          <Service key={place.name} place={place} />
        ))}
      </div>
    </div>
  )
}

function Service({ place }: { readonly place: RoomPlace }): JSX.Element {
  const state = site.value?.surfaces.find(({ name }) => name === place.surface)
  return (
    <section class="service" aria-labelledby={`service-${place.name}`}>
      <div>
        <h2 id={`service-${place.name}`}>
          <a href={`/console/${place.name}`}>{place.title}</a>
        </h2>
        <p>{place.about}</p>
        <p class="row">
          <Health state={state} />
        </p>
        <Now place={place} />
        <p class="row">
          <a href={`/console/${place.name}`}>Open the room</a>
          <a href={`/docs/${place.name}`}>Operations</a>
          <a href={place.document} target="_blank" rel="noreferrer">
            OpenAPI
          </a>
        </p>
      </div>
      <pre class="mono">{findCommand(place)}</pre>
    </section>
  )
}

function Health({ state }: { readonly state: SurfaceState | undefined }): JSX.Element {
  if (state?.isHealthy === false) return <State tone="bad">{state.reason ?? 'unhealthy'}</State>
  if (state?.reason != null) return <State tone="attention">{state.reason}</State>
  return <State tone="normal">healthy</State>
}

const summaries: Readonly<Record<RoomPlace['name'], ComponentType>> = {
  ratelimit: RateLimitSummary,
  grid: GridSummary,
  streams: StreamsSummary,
}

/** The present activity of a service, or the way to see it. */
function Now({ place: { name, surface, token } }: { readonly place: RoomPlace }): JSX.Element | null {
  const isLetIn = hasAccess(surface) || site.value?.hasToken === true
  if (!isLetIn || refused.value.has(surface)) {
    // The frame says it once for all services.
    if (signedOutReason.value !== null) return null
    return <p class="quiet">Give {token} with the button "Tokens" to see what it does now.</p>
  }
  const Summary = summaries[name]
  return (
    <div class="now">
      <Summary />
    </div>
  )
}

/** A command that sends the service a request. */
function findCommand({ name }: RoomPlace): string {
  const { origin } = location
  const commands: Readonly<Record<RoomPlace['name'], string>> = {
    ratelimit: `curl -s ${origin}/json -d '{"domain": "shop",\n  "descriptors": [{"entries": [\n    {"key": "login", "value": "me"}]}]}'`,
    grid: `curl -s -N -H "Authorization: Bearer $GRID_TOKEN" \\\n  ${origin}/api/v1/events`,
    streams: `curl -s -H "Authorization: Bearer $STREAMNET_TOKEN" \\\n  "${origin}/streamnet/v1/list_streams?limit=3"`,
  }
  return commands[name]
}
