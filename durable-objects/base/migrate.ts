/** Numbered, append-only changes to the tables of an object, each applied once. */

/**
 * Brings an object's tables to the newest shape.
 *
 * A table `applied_migrations` remembers how many have run (the platform refuses `PRAGMA user_version`). Call it from
 * the constructor, before anything else touches the tables; everything is synchronous, so no request can see half of
 * it.
 *
 * @param migrations - SQL in the order it was published, each of one or more statements; entries are never edited or
 *   removed.
 * @throws Error when a build before the first release wrote the tables.
 */
export function migrate(storage: DurableObjectStorage, migrations: readonly string[]): void {
  const { sql } = storage
  if (hasTable(sql, unreleasedTable)) {
    throw new Error(
      'Cannot open the tables: a build before the first release wrote them, expected new ones; delete the state of that build and begin anew',
    )
  }
  storage.transactionSync(() => {
    sql.exec('CREATE TABLE IF NOT EXISTS applied_migrations (number INTEGER PRIMARY KEY)')
    const applied = Number(sql.exec('SELECT count(*) AS applied FROM applied_migrations').one().applied)
    migrations.slice(applied).forEach((statements, index) => {
      sql.exec(statements)
      sql.exec('INSERT INTO applied_migrations (number) VALUES (?)', applied + index + 1)
    })
  })
}

/** The name under which builds before the first release counted their statements. */
const unreleasedTable = 'migrations'

/** Tells whether there are tables, so that an object without data can stay without them. */
export function hasTables({ sql }: DurableObjectStorage): boolean {
  return hasTable(sql, 'applied_migrations') || hasTable(sql, unreleasedTable)
}

function hasTable(sql: SqlStorage, name: string): boolean {
  return sql.exec('SELECT 1 FROM sqlite_master WHERE name = ?', name).toArray().length > 0
}
