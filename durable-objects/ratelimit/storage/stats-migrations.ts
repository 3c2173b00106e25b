/** The tables of a StatsObject: the sums and senders of `stats.ts`, and the usage of `usage.ts`. */

import { migrate } from '../../base/migrate.ts'

const migrations = [
  `CREATE TABLE sums (
    name TEXT PRIMARY KEY, value INTEGER NOT NULL, pushed INTEGER NOT NULL DEFAULT 0
  ) WITHOUT ROWID;
  CREATE TABLE senders (sender TEXT PRIMARY KEY, batch INTEGER NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE recent (number INTEGER PRIMARY KEY, sums TEXT NOT NULL, senders TEXT NOT NULL);
  CREATE TABLE usage (
    step INTEGER NOT NULL, start INTEGER NOT NULL, domain TEXT NOT NULL, rule TEXT NOT NULL,
    admitted INTEGER NOT NULL, refused INTEGER NOT NULL, shadow INTEGER NOT NULL,
    PRIMARY KEY (step, start, domain, rule)
  ) WITHOUT ROWID;
  CREATE TABLE usage_tops (hour INTEGER PRIMARY KEY, tops TEXT NOT NULL);
  CREATE TABLE usage_recent (number INTEGER PRIMARY KEY, usage TEXT NOT NULL);
  CREATE TABLE usage_requests (number INTEGER PRIMARY KEY AUTOINCREMENT, count INTEGER NOT NULL, requests TEXT NOT NULL)`,
]

/** Brings the tables to their newest shape. */
export function migrateStats(storage: DurableObjectStorage): void {
  migrate(storage, migrations)
}
