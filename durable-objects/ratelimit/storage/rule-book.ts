/**
 * The tables of RuleBookObject: configuration files through their revisions, and the last refused change; and the table
 * that `listings.ts` reads.
 */

import type { ConfigFile } from '#ratelimit/config/compile.ts'
import type { Changes, Mistake, Refusal, Revision } from '#ratelimit/contract/configuration.ts'
import { migrate } from '../../base/migrate.ts'

const migrations = [
  `CREATE TABLE revisions (
    revision INTEGER PRIMARY KEY, at INTEGER NOT NULL, who TEXT NOT NULL, changes TEXT NOT NULL
  );
  CREATE TABLE files (
    key TEXT NOT NULL, since INTEGER NOT NULL, until INTEGER, text TEXT NOT NULL, PRIMARY KEY (key, since)
  ) WITHOUT ROWID;
  CREATE TABLE refusals (
    id INTEGER PRIMARY KEY CHECK (id = 1), at INTEGER NOT NULL, who TEXT NOT NULL, mistakes TEXT NOT NULL
  );
  CREATE TABLE listings (
    domain TEXT NOT NULL, list TEXT NOT NULL, key TEXT NOT NULL, is_network INTEGER NOT NULL, value TEXT NOT NULL,
    until INTEGER, reason TEXT NOT NULL, at INTEGER NOT NULL, who TEXT NOT NULL,
    PRIMARY KEY (domain, list, key, is_network, value)
  ) WITHOUT ROWID`,
]

type RevisionRow = { revision: number; at: number; who: string; changes: string }
type RefusalRow = { at: number; who: string; mistakes: string }

/** Opens the tables. A file is stored once for the revisions from `since` up to, not including, `until`. */
export function ruleBookTables(storage: DurableObjectStorage) {
  const { sql } = storage
  migrate(storage, migrations)

  /** The newest revision's number; 0 before the first. */
  function newest(): number {
    const query = 'SELECT max(revision) AS newest FROM revisions'
    return sql.exec<{ newest: number | null }>(query).one().newest ?? 0
  }

  function filesAt(revision: number): ConfigFile[] {
    const query = 'SELECT key, text FROM files WHERE since <= ?1 AND (until IS NULL OR until > ?1) ORDER BY key'
    return sql.exec<{ key: string; text: string }>(query, revision).toArray()
  }

  function writeFiles(revision: number, files: readonly ConfigFile[]): void {
    const wanted = new Map(files.map(({ key, text }) => [key, text]))
    for (const { key, text } of filesAt(revision - 1)) {
      if (wanted.get(key) === text) wanted.delete(key)
      else sql.exec('UPDATE files SET until = ? WHERE key = ? AND until IS NULL', revision, key)
    }
    for (const [key, text] of wanted) sql.exec('INSERT INTO files VALUES (?, ?, NULL, ?)', key, revision, text)
  }

  function forgetBefore(oldest: number): void {
    sql.exec('DELETE FROM revisions WHERE revision < ?', oldest)
    sql.exec('DELETE FROM files WHERE until <= ?', oldest)
  }

  return {
    newest,
    /** The files of a revision by key in order; null when the revision is not kept. */
    files(revision: number): readonly ConfigFile[] | null {
      const query = 'SELECT count(*) AS found FROM revisions WHERE revision = ?'
      return sql.exec<{ found: number }>(query, revision).one().found === 0 ? null : filesAt(revision)
    },
    /** Every kept revision, newest first. */
    revisions(): readonly Revision[] {
      const rows = sql.exec<RevisionRow>('SELECT revision, at, who, changes FROM revisions ORDER BY revision DESC')
      return rows.toArray().map(({ changes: text, ...row }) => {
        // The column holds what `append` wrote: changes, and what a roll back has restored.
        const { restored, ...changes } = JSON.parse(text) as Changes & Pick<Revision, 'restored'>
        return { ...row, ...(restored !== undefined && { restored }), changes }
      })
    },
    /** Adds a revision with exactly these files, forgets those beyond `kept`, and clears the refusal. */
    append({ revision, at, who, restored, changes }: Revision, files: readonly ConfigFile[], kept: number): void {
      storage.transactionSync(() => {
        writeFiles(revision, files)
        sql.exec(
          'INSERT INTO revisions VALUES (?, ?, ?, ?)',
          revision,
          at,
          who,
          JSON.stringify({ ...changes, restored }),
        )
        sql.exec('DELETE FROM refusals')
        forgetBefore(revision - kept + 1)
      })
    },
    refusal(): Refusal | null {
      const [row] = sql.exec<RefusalRow>('SELECT at, who, mistakes FROM refusals')
      // The column holds what `refuse` wrote, which was a list of mistakes.
      return row === undefined ? null : { ...row, mistakes: JSON.parse(row.mistakes) as Mistake[] }
    },
    refuse({ at, who, mistakes }: Refusal): void {
      sql.exec('INSERT OR REPLACE INTO refusals VALUES (1, ?, ?, ?)', at, who, JSON.stringify(mistakes))
    },
  }
}
