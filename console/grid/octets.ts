/** A message before and after an attacker: which octets and which fields differ. */

/** One octet of a row. */
export interface Octet {
  readonly hex: string
  readonly isChanged: boolean
}

/** Splits a message into octets and marks those that differ from the other form. */
export function markOctets(hex: string, other: string): readonly Octet[] {
  return (hex.match(/../g) ?? []).map((octet, at) => ({
    hex: octet,
    isChanged: octet !== other.slice(2 * at, 2 * at + 2),
  }))
}

/** A field with its values on both sides. */
export interface FieldChange {
  /** Names joined by points, such as `asdu.objects.3.value`. */
  readonly name: string
  readonly before: string
  readonly after: string
  readonly isChanged: boolean
}

/** Every field of a decoded message; the octets themselves are left out. */
export function compareFields(before: unknown, after: unknown): readonly FieldChange[] {
  const [left, right] = [new Map(listLeaves(before)), new Map(listLeaves(after))]
  const names = new Set([...left.keys(), ...right.keys()])
  names.delete('raw_hex')
  return [...names].map((name) => {
    const [was, is] = [left.get(name) ?? '', right.get(name) ?? '']
    return { name, before: was, after: is, isChanged: was !== is }
  })
}

function listLeaves(value: unknown, path: readonly string[] = []): readonly (readonly [string, string])[] {
  if (typeof value !== 'object' || value === null) {
    return value === undefined ? [] : [[path.join('.'), String(value)]]
  }
  return Object.entries(value).flatMap(([name, member]) => listLeaves(member, [...path, name]))
}
