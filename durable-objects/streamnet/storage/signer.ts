/** The tables of SignerObject: keyed writes, and bulk insertion jobs. */

import { migrate } from '../../base/migrate.ts'
import { openJobTables } from './jobs.ts'
import { openWriteTable } from './keyed-writes.ts'

const migrations = [
  `CREATE TABLE writes (
    key TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, at INTEGER NOT NULL, sending TEXT, outcome TEXT
  ) WITHOUT ROWID;
  CREATE INDEX writes_by_age ON writes (at);
  CREATE TABLE jobs (
    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, at INTEGER NOT NULL, who TEXT NOT NULL,
    areas TEXT NOT NULL, phase TEXT NOT NULL, rows INTEGER NOT NULL, options TEXT NOT NULL, bulk TEXT NOT NULL,
    next_at INTEGER NOT NULL, started_at INTEGER, ended_at INTEGER, lost INTEGER NOT NULL DEFAULT 0, problem TEXT
  );
  CREATE TABLE chunks (
    job INTEGER NOT NULL, chunk INTEGER NOT NULL, rows TEXT NOT NULL, PRIMARY KEY (job, chunk)
  ) WITHOUT ROWID;
  CREATE TABLE hashes (
    job INTEGER NOT NULL, chunk INTEGER NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (job, chunk)
  ) WITHOUT ROWID`,
]

/** The tables of SignerObject. */
export type SignerTables = ReturnType<typeof openSignerTables>

/** Brings the tables to their newest shape and opens them. */
export function openSignerTables(storage: DurableObjectStorage) {
  migrate(storage, migrations)
  return { ...openWriteTable(storage.sql), ...openJobTables(storage) }
}
