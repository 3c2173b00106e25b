/**
 * Sessions of browsers: opened by a code that is good once, known by an id and a key, ended in time.
 *
 * The id is in a cookie, which scripts cannot read and which a browser sends to every port of a host. The key is in
 * the page's storage, which has the port in its origin, and is sent in a header. A server on another port gets the id
 * without the key, a script in the page the key without the id.
 */

import { createCodes } from './codes.ts'
import { drawSecret, isEqualSecret } from './secret.ts'

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
  /** Tells whether it has lasted, or was unused, for too long. */
  isOver(): boolean
  /** Notes that it was used. */
  use(): void
}

/** Keeps codes and sessions in memory; they end with the process. */
export function createSessions(bounds: Partial<SessionBounds> = {}, readClock: () => number = Date.now) {
  const all = { ...defaultBounds, ...bounds }
  const codes = createCodes(all, readClock)
  /** The one used least recently first. */
  const sessions = new Set<OpenSession>()

  const endOld = () => {
    for (const session of sessions) if (session.isOver()) session.end()
  }

  return {
    bounds: all,
    /** Issues a code of 128 bits. */
    issueCode: codes.issue,
    /** Opens a session for a code and uses the code up; null when the code is wrong, used or too old. */
    open(code: string): SessionSecret | null {
      if (!codes.use(code)) return null
      endOld()
      const [oldest] = sessions
      if (oldest !== undefined && sessions.size >= all.maxSessions) oldest.end()
      const session = startSession(all, readClock, () => sessions.delete(session))
      sessions.add(session)
      return { id: session.id, key: session.key }
    },
    /** Finds the session with this key and one of these ids, and notes its use; null when it has ended or never was. */
    find(ids: readonly string[], key: string): Session | null {
      endOld()
      for (const session of sessions) {
        if (!isEqualSecret(key, session.key) || !ids.some((id) => isEqualSecret(id, session.id))) continue
        session.use()
        sessions.delete(session)
        sessions.add(session)
        return session
      }
      return null
    },
  }
}

/** The codes and sessions of one front. */
export type Sessions = ReturnType<typeof createSessions>

function startSession({ idleMs, atMostMs }: SessionBounds, readClock: () => number, onEnd: () => void): OpenSession {
  let usedMs = readClock()
  const endsMs = usedMs + atMostMs
  /** Answers that run. */
  const cuts = new Set<() => void>()
  // An answer that runs has to be cut at the end; without one the session could as well be found ended later.
  const timer = setTimeout(end, atMostMs)
  timer.unref()

  function use(): void {
    usedMs = readClock()
  }

  function end(): void {
    clearTimeout(timer)
    onEnd()
    for (const cut of cuts) cut()
  }

  return {
    id: drawSecret(),
    key: drawSecret(),
    isOver() {
      const nowMs = readClock()
      const isIdle = cuts.size === 0 && nowMs - usedMs >= idleMs
      return isIdle || nowMs >= endsMs
    },
    use,
    onEnd(cut) {
      cuts.add(cut)
      return () => {
        use()
        cuts.delete(cut)
      }
    },
    end,
  }
}
