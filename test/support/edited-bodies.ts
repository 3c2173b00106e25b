/** Right bodies after edits: fields set to strange values or lost, octets cut, flipped, put in. */

import fc from 'fast-check'

/** Values that a careless or hostile sender puts where others belong. */
const strangeValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(
    null,
    '',
    ' ',
    -1,
    0.5,
    1e308,
    2 ** 53,
    '\ud800',
    '\u0000',
    '=1+1',
    '<script>',
    '__proto__',
    'x'.repeat(3_000),
    [],
    {},
  ),
  fc.nat(40).map((levels) => JSON.parse(`${'['.repeat(levels)}1${']'.repeat(levels)}`)),
)

/** Numbers in a text that no parser should take for finite ones, or for numbers at all. */
const strangeNumber = fc.constantFrom('NaN', '1e999', '-1e999', 'Infinity', '0x10', '1_0', '')

/** Edits a JSON value up to three times, then perhaps its text or its octets. */
export function editedJson(whole: unknown): fc.Arbitrary<Uint8Array> {
  const edit = fc.record({ at: fc.nat(), value: fc.option(strangeValue, { nil: undefined }) })
  const edits = fc.array(edit, { minLength: 0, maxLength: 3 })
  return fc
    .tuple(edits, fc.option(fc.tuple(fc.nat(), strangeNumber), { nil: undefined, freq: 4 }))
    .map(([fields, number]) => {
      const text = JSON.stringify(fields.reduce<unknown>(setField, whole)) ?? ''
      return new TextEncoder().encode(number === undefined ? text : replaceNumber(text, ...number))
    })
    .chain((octets) =>
      fc.oneof({ weight: 5, arbitrary: fc.constant(octets) }, { weight: 1, arbitrary: editedOctets(octets) }),
    )
}

/** Cuts octets off, flips one, or puts some in. */
export function editedOctets(whole: Uint8Array): fc.Arbitrary<Uint8Array> {
  const place = fc.nat(whole.length)
  return fc.oneof(
    place.map((at) => whole.slice(0, at)),
    fc.tuple(place, fc.nat(255)).map(([at, octet]) => whole.map((old, index) => (index === at ? octet : old))),
    fc
      .tuple(place, fc.uint8Array({ minLength: 1, maxLength: 40 }))
      .map(([at, added]) => Uint8Array.from([...whole.slice(0, at), ...added, ...whole.slice(at)])),
  )
}

/** Sets, or without a value removes, the field that comes `at`-th on a walk through everything. */
function setField(whole: unknown, { at, value }: { readonly at: number; readonly value: unknown }): unknown {
  const copy: Record<string, unknown> = structuredClone({ whole })
  const places: [container: Record<string, unknown>, key: string][] = []
  const walk = (container: object): void => {
    for (const [key, field] of Object.entries(container)) {
      // Arrays are objects whose keys are indices.
      places.push([container as Record<string, unknown>, key])
      if (typeof field === 'object' && field !== null) walk(field)
    }
  }
  walk(copy)
  const [container, key] = places[at % places.length] ?? [copy, 'whole']
  if (value === undefined) delete container[key]
  else container[key] = value
  return copy.whole
}

function replaceNumber(text: string, which: number, by: string): string {
  const numbers = [...text.matchAll(/(?<=[:[,])-?\d+(\.\d+)?(?=[,\]}])/g)]
  const found = numbers[which % Math.max(1, numbers.length)]
  if (found === undefined) return text
  return text.slice(0, found.index) + by + text.slice(found.index + found[0].length)
}
