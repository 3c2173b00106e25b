/** Numbered, append-only changes to the tables of an object, each applied once. */

/**
 * Brings an object's tables to the newest shape.
 *
 * A table `migrations` remembers how many statements have run (the platform refuses `PRAGMA user_version`). Call
 * it from the constructor, before anything else touches the tables; everything is synchronous, so no request can
 * see half of it.
 *
 * @param migrations - SQL in the order it was ever published; entries are never edited or removed.
 */
export function migrate(storage: DurableObjectStorage, migrations: readonly string[]): void {
  const { sql } = storage
  storage.transactionSync(() => {
    sql.exec('CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY)')
    const applied = Number(sql.exec('SELECT count(*) AS applied FROM migrations').one().applied)
    migrations.slice(applied).forEach((statement, index) => {
      sql.exec(statement)
      sql.exec('INSERT INTO migrations (number) VALUES (?)', applied + index + 1)
    })
  })
}

/** Tells whether `migrate` has ever run here, so that an object without data can stay without tables. */
export function hasTables(storage: DurableObjectStorage): boolean {
  const found = storage.sql.exec("SELECT count(*) AS found FROM sqlite_master WHERE name = 'migrations'")
  return found.one().found === 1
}
