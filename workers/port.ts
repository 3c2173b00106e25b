/** A port of its own for one path of the front door, for local use: the debug port and the node's port. */

/** The front door, and the path that stands before every path of this port. */
interface PortEnv {
  readonly SLUICE: Fetcher
  readonly PREFIX: string
}

export default {
  async fetch(request: Request, env: PortEnv): Promise<Response> {
    const url = new URL(request.url)
    url.pathname = `${env.PREFIX}${url.pathname}`
    return env.SLUICE.fetch(new Request(url, request))
  },
} satisfies ExportedHandler<PortEnv>
