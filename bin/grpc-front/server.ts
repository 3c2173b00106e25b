/** The HTTP/2 server of a front: its certificate, its address, its connections, and its graceful end. */

import { rmSync, statSync } from 'node:fs'
import { createSecureServer, createServer, type Http2Server, type ServerHttp2Session } from 'node:http2'
import type { ListenOptions } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { isDead } from '../start/unix-socket.ts'
import { type ConnectionAge, drain, limitAge } from './connection-age.ts'

/** The certificate of the front, and which clients it takes. PEM texts. */
export interface FrontTls {
  readonly cert: string | Buffer
  readonly key: string | Buffer
  /** Authority that must have signed the certificate of each client; no certificate is needed when absent. */
  readonly clientCa?: string | Buffer
  /** Host that the certificate of a client must name; any host when absent. */
  readonly clientSan?: string
}

/** Streams at once on one connection; a client that wants more opens another connection or waits. */
const settings = { maxConcurrentStreams: 1000 }

/** Makes a server in cleartext, or over TLS; a handshake may take so many milliseconds. */
export function createFrontServer(tls: FrontTls | undefined, handshakeTimeout: number): Http2Server {
  if (tls === undefined) return createServer({ settings })
  const { cert, key, clientCa, clientSan } = tls
  const server = createSecureServer({
    settings,
    cert,
    key,
    minVersion: 'TLSv1.2',
    handshakeTimeout,
    ...(clientCa === undefined ? {} : { ca: clientCa, requestCert: true, rejectUnauthorized: true }),
  })
  if (clientSan !== undefined) {
    server.on('secureConnection', (socket: TLSSocket) => {
      if (!namesHost(socket, clientSan)) socket.destroy()
    })
  }
  return server
}

/** Checks that a client's certificate lists a name among its alternative names. */
function namesHost(socket: TLSSocket, name: string): boolean {
  const names = socket.getPeerCertificate().subjectaltname?.split(', ') ?? []
  return names.some((entry) => entry.slice(entry.indexOf(':') + 1) === name)
}

/** Removes the socket that a killed front left behind; one that accepts stays, and so does every other file. */
export async function clearSocket(path: string): Promise<void> {
  // The system refuses a connection to an ordinary file as well.
  const isSocket = statSync(path, { throwIfNoEntry: false })?.isSocket() === true
  if (isSocket && (await isDead(path))) rmSync(path, { force: true })
}

/** Listens; an error of one connection ends that connection, never the server. */
export function listen(server: Http2Server, where: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(where, () => {
      server.off('error', reject)
      server.on('sessionError', () => {})
      server.on('error', () => {})
      resolve()
    })
  })
}

/** Follows the connections that are open; each is ended when it is old or has failed. */
export function followSessions(server: Http2Server, age: ConnectionAge): ReadonlySet<ServerHttp2Session> {
  const sessions = new Set<ServerHttp2Session>()
  server.on('session', (session: ServerHttp2Session) => {
    sessions.add(session)
    session.once('close', () => sessions.delete(session))
    session.on('error', () => session.destroy())
    limitAge(session, age, Math.random())
  })
  return sessions
}

/** Closes a server: takes no connection, lets calls finish, and cuts what still runs after so many milliseconds. */
export async function closeServer(
  server: Http2Server,
  sessions: ReadonlySet<ServerHttp2Session>,
  graceMs: number,
): Promise<void> {
  const serverClosed = new Promise<void>((resolve) => server.close(() => resolve()))
  for (const session of sessions) drain(session)
  const timer = setTimeout(() => {
    for (const session of sessions) session.destroy()
  }, graceMs)
  await Promise.all([serverClosed, ...[...sessions].map(closed)])
  clearTimeout(timer)
}

function closed(session: ServerHttp2Session): Promise<void> {
  return new Promise((resolve) => (session.destroyed ? resolve() : session.once('close', () => resolve())))
}
