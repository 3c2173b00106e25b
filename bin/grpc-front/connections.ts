/** Bounds on the connections of a front: how many there are, and how long one may be without a call. */

import { constants, type Http2Server, type ServerHttp2Session } from 'node:http2'
import { after, drain } from './connection-age.ts'

/** Bounds on connections. */
export interface ConnectionBounds {
  readonly maxConnections: number
  /** Milliseconds that a connection may be without a call; Infinity for any time. */
  readonly idleMs: number
  /** Milliseconds within which a client has sent its connection preface (RFC 9113 section 3.4). */
  readonly prefaceWithinMs: number
}

/**
 * Keeps a server within the bounds.
 *
 * A connection without a call for too long gets GOAWAY. When there are too many connections, the one that has been
 * without a call for longest is closed, or the new one where each of the others has a call.
 */
export function boundConnections(
  server: Http2Server,
  { maxConnections, idleMs, prefaceWithinMs }: ConnectionBounds,
): void {
  const open = new Set<ServerHttp2Session>()
  // In the order in which their last call ended, or they began.
  const quiet = new Set<ServerHttp2Session>()
  const forget = (session: ServerHttp2Session) => {
    open.delete(session)
    quiet.delete(session)
  }
  // A socket in its TLS handshake is not a session yet: as many handshakes as sessions may run.
  server.maxConnections = 2 * maxConnections
  server.on('session', (session: ServerHttp2Session) => {
    open.add(session)
    session.once('close', () => forget(session))
    if (open.size > maxConnections) {
      const [extra = session] = quiet
      forget(extra)
      // Later: Node hands a new session what its socket has read in the next tick, and fails if it is gone by then.
      process.nextTick(() => extra.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM))
      if (extra === session) return
    }
    if (!session.destroyed) watch(session, quiet, { idleMs, prefaceWithinMs })
  })
}

/** Notes whether a connection is without a call, and ends it when it is for too long or sends no preface. */
function watch(
  session: ServerHttp2Session,
  quiet: Set<ServerHttp2Session>,
  { idleMs, prefaceWithinMs }: Omit<ConnectionBounds, 'maxConnections'>,
): void {
  let calls = 0
  let idle: NodeJS.Timeout | undefined
  const preface = after(prefaceWithinMs, () => session.destroy())
  session.once('remoteSettings', () => {
    clearTimeout(preface)
    if (idleMs < Number.POSITIVE_INFINITY && !session.destroyed) idle = after(idleMs, endIfIdle)
  })
  const endIfIdle = () => {
    if (calls > 0) idle?.refresh()
    else drain(session)
  }
  quiet.add(session)
  session.on('stream', (stream) => {
    calls += 1
    quiet.delete(session)
    stream.once('close', () => {
      calls -= 1
      if (calls > 0 || session.destroyed) return
      quiet.add(session)
      idle?.refresh()
    })
  })
  session.once('close', () => {
    clearTimeout(preface)
    clearTimeout(idle)
  })
}
