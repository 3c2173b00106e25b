/** Regions: a city of each location hint, and the nearest region to a caller. */

import type { LocationHint } from './places.ts'

/** A point on the earth, in degrees north and east. */
export interface Location {
  readonly latitude: number
  readonly longitude: number
}

const cities: Readonly<Record<LocationHint, readonly [latitude: number, longitude: number]>> = {
  // San Francisco, Ashburn, Sao Paulo
  wnam: [37.8, -122.4],
  enam: [39, -77.5],
  sam: [-23.5, -46.6],
  // Paris, Warsaw
  weur: [48.9, 2.4],
  eeur: [52.2, 21],
  // Hong Kong, Tokyo, Singapore, Sydney
  apac: [22.3, 114.2],
  'apac-ne': [35.7, 139.7],
  'apac-se': [1.4, 103.8],
  oc: [-33.9, 151.2],
  // Johannesburg, Dubai
  afr: [-26.2, 28],
  me: [25.2, 55.3],
}

/** Finds the region whose city is nearest; null for an unknown location, unless there is only one region. */
export function nearestRegion(regions: readonly LocationHint[], location: Location | null): LocationHint | null {
  const [first = null] = regions
  if (location === null) return regions.length === 1 ? first : null
  return regions.reduce<LocationHint | null>(
    (best, region) => (best === null || nearness(region, location) > nearness(best, location) ? region : best),
    null,
  )
}

/** The cosine of the angle between a city and a point, by the spherical law of cosines: 1 at the same place, -1 at the opposite one. */
function nearness(region: LocationHint, point: Location): number {
  const [latitude, longitude] = cities[region]
  const [city, own] = [toRadians(latitude), toRadians(point.latitude)]
  const turn = toRadians(longitude - point.longitude)
  return Math.sin(city) * Math.sin(own) + Math.cos(city) * Math.cos(own) * Math.cos(turn)
}

function toRadians(degrees: number): number {
  return (degrees * Math.PI) / 180
}
