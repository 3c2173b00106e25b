/** Location of this isolate: that of the first caller whose location the platform knows, who is near it. */

import type { Location } from '#ratelimit/placement/regions.ts'

let known: Location | null = null

/** Notes where a request comes from, unless another one said so before. */
export function noteLocation(request: Pick<Request, 'cf'>): void {
  known ??= readLocation(request)
}

/** Reads the location of a caller; null where the platform does not know it, as on one machine. */
export function readLocation({ cf }: Pick<Request, 'cf'>): Location | null {
  const [latitude, longitude] = [Number(cf?.latitude ?? Number.NaN), Number(cf?.longitude ?? Number.NaN)]
  return Number.isFinite(latitude) && Number.isFinite(longitude) ? { latitude, longitude } : null
}

/** Returns the location; null while no request has had one, as on one machine. */
export function isolateLocation(): Location | null {
  return known
}
