/** Location of this isolate: that of the first caller whose location the platform knows, who is near it. */

import type { Location } from '#ratelimit/placement/regions.ts'

let known: Location | null = null

/** Notes where a request comes from, unless another one said so before. */
export function noteLocation(request: Pick<Request, 'cf'>): void {
  const cf = known === null ? request.cf : undefined
  if (cf === undefined) return
  const [latitude, longitude] = [Number(cf.latitude ?? Number.NaN), Number(cf.longitude ?? Number.NaN)]
  if (Number.isFinite(latitude) && Number.isFinite(longitude)) known = { latitude, longitude }
}

/** Returns the location; null while no request has had one, as on one machine. */
export function isolateLocation(): Location | null {
  return known
}
