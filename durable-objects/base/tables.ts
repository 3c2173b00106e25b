/** Tables of an object that its first write makes, so that asking for a name leaves nothing on disk. */

import { hasTables, migrate } from './migrate.ts'

type SqlValue = string | number

/** Tables that may not exist yet. */
export type Tables = ReturnType<typeof openTables>

/** Opens the tables of these migrations; there are no rows while there are no tables. */
export function openTables(storage: DurableObjectStorage, migrations: readonly string[]) {
  let isMade = hasTables(storage)
  if (isMade) migrate(storage, migrations)

  function make(): void {
    if (isMade) return
    migrate(storage, migrations)
    isMade = true
  }

  function* read<Row extends Record<string, SqlStorageValue>>(query: string, ...values: SqlValue[]) {
    if (isMade) yield* storage.sql.exec<Row>(query, ...values)
  }

  return {
    make,
    read,
    /** Reads the column `body`, which holds the JSON of one type. */
    readBodies<Body>(query: string, ...values: SqlValue[]): Body[] {
      return [...read<{ body: string }>(query, ...values)].map(({ body }) => JSON.parse(body))
    },
    write(query: string, ...values: SqlValue[]): void {
      make()
      storage.sql.exec(query, ...values)
    },
    /** Deletes everything, the tables included. */
    async destroy(): Promise<void> {
      isMade = false
      await storage.deleteAll()
    },
  }
}
