/** The front door: all three surfaces in one Worker, told apart by path; everything else is a page. */

import type { Env } from '../durable-objects/env.ts'

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    return env.ASSETS?.fetch(request) ?? new Response('Not found\n', { status: 404 })
  },
} satisfies ExportedHandler<Env>
