/** The address of the client behind a request. */

/**
 * Reads the address: the platform and `npm start` name it in `cf-connecting-ip`; workerd without a front drops that
 * field, which is its client's, and has the address of the connection.
 *
 * @returns an IPv4 or IPv6 address as it is written there; empty where it is unknown, as on a UNIX socket.
 */
export function clientAddress({ headers, cf }: AddressedRequest): string {
  const named = headers.get('cf-connecting-ip')
  if (named !== null) return named
  const peer = cf !== undefined && 'clientIp' in cf ? cf.clientIp : undefined
  return typeof peer === 'string' ? peer.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1') : ''
}

type AddressedRequest = Pick<Request, 'headers'> & { readonly cf?: object | undefined }
