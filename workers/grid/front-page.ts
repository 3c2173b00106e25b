/** `GET /` of a Worker that has this surface and no pages: the paths to go on to. It holds no state. */

import { product } from '#grid/configuration.ts'
import { answerFrontPage, type FrontPage, isBrowser } from '../edge/front-page.ts'
import { defaultBase as base } from './paths.ts'
import { json } from './problems.ts'

const page: FrontPage = {
  name: 'Sluice Grid',
  about: 'A grid-security simulation: a solved power grid, telecontrol frames, attacks, records, exports.',
  links: [
    { path: `${base}/status`, about: 'what the public may know' },
    { path: `${base}/docs`, about: 'help, with a token' },
    { path: `${base}/openapi.json`, about: 'the interface in OpenAPI 3.1, with a token' },
    { path: '/healthcheck', about: 'whether the settings make sense' },
  ],
}

/** Answers browsers with HTML, and others with JSON in the names of the interface. */
export function answerRoot(request: Request): Response {
  if (isBrowser(request)) return answerFrontPage(request, page)
  return json({
    ...product,
    interface: base,
    status: `${base}/status`,
    docs: `${base}/docs`,
    openapi: `${base}/openapi.json`,
    simulations: `${base}/simulations`,
    hint: 'All but the status need: Authorization: Bearer <api_key>',
  })
}
