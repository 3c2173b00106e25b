/** Meters of classes of objects: requests, the time in which objects are awake, rows of their storage. */

/** Sums of one class since its meter was read. */
export interface Meter {
  objectRequests: number
  objectMs: number
  rowsRead: number
  rowsWritten: number
}

const meters = new Map<string, Meter>()

/** Finds the meter of a class, which all its objects share. */
export function meterOf(className: string): Meter {
  const meter = meters.get(className) ?? { objectRequests: 0, objectMs: 0, rowsRead: 0, rowsWritten: 0 }
  meters.set(className, meter)
  return meter
}

/** Reads the meters by class, and begins anew. */
export function takeMeters(): Readonly<Record<string, Meter>> {
  const read = Object.fromEntries([...meters].map(([name, meter]) => [name, { ...meter }]))
  for (const meter of meters.values()) {
    Object.assign(meter, { objectRequests: 0, objectMs: 0, rowsRead: 0, rowsWritten: 0 })
  }
  return read
}

/** Counts what the storage of an object reads and writes; `deleteAll` counts as a write of each row that is there. */
export function meterStorage(storage: DurableObjectStorage, meter: Meter): void {
  const { sql, kv } = storage
  const exec = sql.exec.bind(sql)
  const list = kv.list.bind(kv)
  const read = (rows: number) => {
    meter.rowsRead += rows
  }
  const write = (rows: number) => {
    meter.rowsWritten += rows
  }
  Object.defineProperty(sql, 'exec', {
    value: (...given: Parameters<typeof exec>) => {
      const cursor = exec(...given)
      // By then it has been read; another object could not look at it.
      queueMicrotask(() => {
        read(cursor.rowsRead)
        write(cursor.rowsWritten)
      })
      return cursor
    },
  })
  Object.defineProperty(kv, 'list', {
    value: (...given: Parameters<typeof list>) => {
      const all = [...list(...given)]
      read(all.length)
      return all
    },
  })
  const rowsThere = () => {
    const tables = exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'").toArray()
    const own = tables.filter(({ name }) => !/^(_cf_|sqlite_)/.test(name))
    const rows = own.map(({ name }) => Number(exec(`SELECT count(*) AS rows FROM "${name}"`).one().rows))
    return rows.reduce((sum, one) => sum + one, [...list()].length)
  }
  before(storage, 'put', (key) => write(typeof key === 'string' ? 1 : Object.keys(key as object).length))
  before(storage, 'delete', () => write(1))
  before(storage, 'deleteAll', () => write(rowsThere()))
  before(storage, 'setAlarm', () => write(1))
  before(storage, 'get', (key) => read(Array.isArray(key) ? key.length : 1))
  before(kv, 'put', () => write(1))
  before(kv, 'delete', () => write(1))
  before(kv, 'get', () => read(1))
}

/** Does something before each call of a method. */
export function before(owner: object, name: string, run: (first: unknown) => void): void {
  const method: unknown = Reflect.get(owner, name)
  if (typeof method !== 'function') return
  Object.defineProperty(owner, name, {
    configurable: true,
    value: (...given: readonly unknown[]) => {
      run(given[0])
      return Reflect.apply(method, owner, given)
    },
  })
}
