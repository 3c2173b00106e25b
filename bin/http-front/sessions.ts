/**
 * Sessions of browsers: opened by a code that is good once, known by an id and a key, ended in time.
 *
 * The id is in a cookie, which scripts cannot read and which a browser sends to every port of a host. The key is in
 * the page's storage, which has the port in its origin, and is sent in a header. A server on another port gets the id
 * without the key, a script in the page the key without the id.
 */

import { randomBytes, timingSafeEqual } from 'node:crypto'

const defaultBounds = {
  /** Milliseconds for which a code is good. */
  codeMs: 600_000,
  /** Milliseconds for which a session may be unused; an answer that still runs is a use. */
  idleMs: 12 * 3_600_000,
  /** Milliseconds that a session lasts at most. */
  atMostMs: 7 * 24 * 3_600_000,
  /** Codes that are good at once; a further one ends the oldest. */
  maxCodes: 8,
  /** Sessions at once; a further one ends the one that was used least recently. */
  maxSessions: 32,
}

/** Bounds on codes and sessions. */
export type SessionBounds = typeof defaultBounds

/** The two halves of a session's secret, 128 bits each. */
export interface SessionSecret {
  readonly id: string
  readonly key: string
}

/** A session that is open. */
export interface Session {
  /** Calls back when the session ends, unless the returned function is called before. */
  onEnd(cut: () => void): () => void
  end(): void
}

interface OpenSession extends SessionSecret, Session {
  readonly endsMs: number
  readonly cuts: Set<() => void>
  usedMs: number
}

/** The codes and sessions of one front. */
export type Sessions = ReturnType<typeof createSessions>

/** Keeps codes and sessions in memory; they end with the process. */
export function createSessions(bounds: Partial<SessionBounds> = {}, readClock: () => number = Date.now) {
  const all = { ...defaultBounds, ...bounds }
  const { codeMs, idleMs, atMostMs, maxCodes, maxSessions } = all
  let codes: readonly { readonly text: string; readonly endsMs: number }[] = []
  /** The one used least recently first. */
  const sessions = new Set<OpenSession>()

  const start = (): OpenSession => {
    const usedMs = readClock()
    const cuts = new Set<() => void>()
    // An answer that runs has to be cut at the end; without one the session could as well be found ended later.
    const timer = setTimeout(() => session.end(), atMostMs)
    timer.unref()
    const session: OpenSession = {
      id: draw(),
      key: draw(),
      endsMs: usedMs + atMostMs,
      cuts,
      usedMs,
      onEnd(cut) {
        cuts.add(cut)
        return () => {
          session.usedMs = readClock()
          cuts.delete(cut)
        }
      },
      end() {
        clearTimeout(timer)
        sessions.delete(session)
        for (const cut of cuts) cut()
      },
    }
    return session
  }
  const endOld = () => {
    const now = readClock()
    for (const session of sessions) {
      const isIdle = session.cuts.size === 0 && now - session.usedMs >= idleMs
      if (isIdle || now >= session.endsMs) session.end()
    }
  }

  return {
    bounds: all,
    /** A code of 128 bits. */
    issueCode(): string {
      const code = { text: draw(), endsMs: readClock() + codeMs }
      codes = [...codes, code].slice(-maxCodes)
      return code.text
    },
    /** Opens a session for a code and uses the code up; null when the code is wrong, used or too old. */
    open(given: string): SessionSecret | null {
      const code = codes.find(({ text }) => isEqual(given, text))
      codes = codes.filter((one) => one !== code)
      if (code === undefined || readClock() >= code.endsMs) return null
      endOld()
      const [oldest] = sessions
      if (oldest !== undefined && sessions.size >= maxSessions) oldest.end()
      const session = start()
      sessions.add(session)
      return { id: session.id, key: session.key }
    },
    /** The session with this key and one of these ids; null when it has ended or never was. */
    find(ids: readonly string[], key: string): Session | null {
      endOld()
      for (const session of sessions) {
        if (!isEqual(key, session.key) || !ids.some((id) => isEqual(id, session.id))) continue
        session.usedMs = readClock()
        sessions.delete(session)
        sessions.add(session)
        return session
      }
      return null
    },
  }
}

function draw(): string {
  return randomBytes(16).toString('base64url')
}

/** Compares in constant time; the length is not a secret. */
function isEqual(given: string, secret: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(secret)]
  return one.length === other.length && timingSafeEqual(one, other)
}
