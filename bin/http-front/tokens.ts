/** The token of each service, found by the path of a request. */

/** Tokens by the name under which a deployment keeps them. */
export type SessionTokens = Readonly<
  Record<'ADMIN_TOKEN' | 'GRID_TOKEN' | 'STREAMNET_TOKEN' | 'STREAMNET_ADMIN_TOKEN', string>
>

/** The first path that is equal, or that continues behind a slash, names the token; the rate limiter has the rest. */
const places: readonly { readonly path: string; readonly token: keyof SessionTokens }[] = [
  { path: '/api', token: 'GRID_TOKEN' },
  { path: '/simulations', token: 'GRID_TOKEN' },
  { path: '/streamnet/admin', token: 'STREAMNET_ADMIN_TOKEN' },
  { path: '/streamnet', token: 'STREAMNET_TOKEN' },
  { path: '/rpc', token: 'STREAMNET_TOKEN' },
]

/** Finds the name of the token of the service that a path belongs to. */
export function tokenFor(path: string): keyof SessionTokens {
  const { pathname } = new URL(`http://localhost${path}`)
  const place = places.find((each) => pathname === each.path || pathname.startsWith(`${each.path}/`))
  return place?.token ?? 'ADMIN_TOKEN'
}
