/** Functions that remember their results. The result depends on the argument only: remembering saves time, no more. */

/** Remembers the result for each object for as long as the object lives. */
export function memo<Key extends object, Value extends object>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new WeakMap<Key, Value>()
  return (key) => {
    const known = made.get(key)
    if (known !== undefined) return known
    const value = make(key)
    made.set(key, value)
    return value
  }
}

/** Remembers the newest result for each object, until `isSame` finds another `rest`, on which it depends too. */
export function memoNewest<Key extends object, Rest, Value>(
  make: (key: Key, rest: Rest) => Value,
  isSame: (before: Rest, now: Rest) => boolean = Object.is,
): (key: Key, rest: Rest) => Value {
  const made = new WeakMap<Key, { readonly rest: Rest; readonly value: Value }>()
  return (key, rest) => {
    const known = made.get(key)
    if (known !== undefined && isSame(known.rest, rest)) return known.value
    const value = make(key, rest)
    made.set(key, { rest, value })
    return value
  }
}

/** Remembers the results for texts or numbers; one more than `most` forgets all of them. */
export function memoBounded<Key extends string | number, Value extends NonNullable<unknown>>(
  most: number,
  make: (key: Key) => Value,
): (key: Key) => Value {
  const made = new Map<Key, Value>()
  return (key) => {
    const known = made.get(key)
    if (known !== undefined) return known
    const value = make(key)
    if (made.size >= most) made.clear()
    made.set(key, value)
    return value
  }
}
