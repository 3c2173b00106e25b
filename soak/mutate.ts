/** Seeded mutations of valid inputs: octets for codecs, text for JSON, query strings for targets. */

import type { Random } from '#base/random.ts'

/** Longest input that a mutation makes, in octets. */
const maximumOctets = 20_000

/** Texts that parsers trip over: terminators, markers of YAML, names of the prototype, numbers at their edges. */
const fragments = [
  '\0', '"', '\\', '{', '}', '[', ']', ',', ':', '%', '&', '=', '?', '#', '<', ';', '\t', '\r\n', '\ufeff', '\u2028', 'é',
  '\\u0000', '\\ud800', '..', '//', '1e999', '-0', '0x', 'null', 'NaN', '~', '|', '>', "'", '&a', '*a', '<<: *a', '- ',
  ': ', '? ', '!!binary x', '__proto__', 'constructor', '9'.repeat(40), 'a'.repeat(300), '['.repeat(120), '{"a":'.repeat(60),
] // biome-ignore format: a list read as a whole

/** Whole JSON values in the place of another one. */
const values = [
  'null', 'true', '-1', '0', '1e999', '-0', '1.5', '9007199254740993', '18446744073709551616', '""', '"\\u0000"',
  '"\\ud800"', '[]', '{}', '"__proto__"', '{"__proto__":{"polluted":1}}', '"constructor"', '[[[[[[[[[[]]]]]]]]]]',
  `"${'a'.repeat(2000)}"`, '"\\r\\nX-Injected: 1"', '"%00"', '"2024-01-01"', '"0x"', `"0x${'f'.repeat(64)}"`,
] // biome-ignore format: a list read as a whole

const numbers = [
  '0',
  '-1',
  '4294967295',
  '4294967296',
  '9223372036854775807',
  '18446744073709551616',
  '1e400',
  '1.5',
  '00',
]

/** Draws one of a list; the list has at least one. */
export function pick<T>(random: Random, list: readonly T[]): T {
  return list[random.integer(0, list.length - 1)] as T // the index is inside the list
}

/** Changes octets in one to twelve places. */
export function mutateOctets(seed: Uint8Array, random: Random): Uint8Array {
  let octets = Buffer.from(seed)
  const places = pick(random, [1, 1, 2, 4, 12])
  for (let place = 0; place < places; place++) octets = changeOctets(octets, random).subarray(0, maximumOctets)
  return new Uint8Array(octets)
}

function changeOctets(octets: Buffer<ArrayBuffer>, random: Random): Buffer<ArrayBuffer> {
  const at = random.integer(0, octets.length)
  const insert = (part: Uint8Array) => Buffer.concat([octets.subarray(0, at), part, octets.subarray(at)])
  const replace = (change: (old: number) => number) => {
    const changed = Buffer.from(octets)
    if (at < changed.length) changed[at] = change(changed[at] ?? 0)
    return changed
  }
  switch (random.integer(0, 8)) {
    case 0:
      return replace(() => random.integer(0, 255))
    case 1:
      return replace((old) => old ^ (1 << random.integer(0, 7)))
    case 2:
      return octets.subarray(0, at)
    case 3:
      return insert(Buffer.from(pick(random, fragments)))
    case 4:
      return Buffer.concat([octets.subarray(0, at), octets.subarray(at + random.integer(1, 16))])
    case 5: {
      const from = random.integer(0, octets.length)
      return insert(octets.subarray(from, from + random.integer(1, 64)))
    }
    case 6: {
      // A length or a count at the edge of its field.
      const edge = Buffer.alloc(pick(random, [1, 2, 4, 8]), pick(random, [0, 255, 127, 128]))
      return Buffer.concat([octets.subarray(0, at), edge, octets.subarray(at + edge.length)])
    }
    case 7:
      return Buffer.from(
        octets.toString('latin1').replace(/\d+/, () => pick(random, numbers)),
        'latin1',
      )
    default:
      return replace(() => random.integer(32, 126))
  }
}

/** Changes JSON text in one to four places: values, member names, characters. */
export function mutateText(seed: string, random: Random): string {
  let text = seed
  const places = pick(random, [1, 1, 2, 4])
  for (let place = 0; place < places; place++) text = changeText(text, random).slice(0, maximumOctets)
  return text
}

function changeText(text: string, random: Random): string {
  const at = random.integer(0, text.length)
  switch (random.integer(0, 6)) {
    case 0:
      return swap(
        text,
        /"(?:[^"\\]|\\.)*"(?!\s*:)|-?\d+(?:\.\d+)?|true|false|null/g,
        () => pick(random, values),
        random,
      )
    case 1:
      return swap(text, /"\w+"(?=\s*:)/g, (name) => misspell(name, random), random)
    case 2:
      return text.slice(0, at) + pick(random, fragments) + text.slice(at)
    case 3:
      return text.slice(0, at) + text.slice(at + random.integer(1, 8))
    case 4:
      return text.slice(0, at)
    case 5:
      return text.slice(0, at) + String.fromCharCode(random.integer(0, 255)) + text.slice(at + 1)
    default: {
      const from = random.integer(0, text.length)
      return text.slice(0, at) + text.slice(from, from + 40) + text.slice(at)
    }
  }
}

/** Replaces one match of a pattern. */
function swap(text: string, pattern: RegExp, change: (found: string) => string, random: Random): string {
  const found = [...text.matchAll(pattern)]
  if (found.length === 0) return text
  const { 0: old, index } = pick(random, found)
  return text.slice(0, index) + change(old) + text.slice(index + old.length)
}

function misspell(name: string, random: Random): string {
  const bare = name.slice(1, -1)
  const other = pick(random, [
    '__proto__',
    'constructor',
    'toString',
    'x',
    '',
    bare.toUpperCase(),
    `${bare}x`,
    bare.slice(1),
  ])
  return JSON.stringify(other)
}

/** Changes a request target: its path's end, or one parameter of its query. */
export function mutateTarget(target: string, random: Random): string {
  const at = target.indexOf('?')
  if (at < 0) {
    const ends = [
      '',
      '',
      '',
      '?',
      '/',
      '//',
      '%2f',
      '?a=b',
      '?limit=x',
      ';a',
      '?%',
      '?__proto__=1',
      '%00',
      `?a=${'b'.repeat(5000)}`,
    ]
    return target + pick(random, ends)
  }
  const parameters = target.slice(at + 1).split('&')
  const index = random.integer(0, parameters.length - 1)
  const [name = ''] = parameters[index]?.split('=') ?? []
  const encoded = (list: readonly string[]) => encodeURIComponent(pick(random, list).replace(/[\ud800-\udfff]/g, ''))
  parameters[index] = pick(random, [
    '', '%', name, `${name}=`, `${name}=%ff`, `${name}=-1`, `${name}[]=1`, '__proto__=1', `${name}=99999999999999999999`,
    `${name}=${encoded(values)}`, `${name}=${encoded(fragments)}`, `${parameters[index]}&${parameters[index]}`,
  ]) // biome-ignore format: a list read as a whole
  return `${target.slice(0, at + 1)}${parameters.join('&')}`
}
