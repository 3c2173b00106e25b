/** Sockets in the place of `cloudflare:sockets`: an open one keeps its object awake, which is metered. */

import { connect as connectSocket } from 'cloudflare:sockets'
import { holdAwake } from './awake.ts'

/** Connects as the platform does. */
export function connect(...given: Parameters<typeof connectSocket>): Socket {
  const socket = connectSocket(...given)
  const letGo = holdAwake()
  socket.closed.then(letGo, letGo)
  return socket
}
