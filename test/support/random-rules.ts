/** Random rules and requests of the rate limit service, from a seed: small alphabets, so that they meet. */

import { createRandom, type Random } from '#base/random.ts'

/** One configuration and requests for it. */
export interface RandomRun {
  readonly domain: string
  readonly yaml: string
  /** Bodies of `/json`. */
  readonly requests: readonly string[]
}

/** Rare parts that the rules and requests may hold. */
export interface RandomOptions {
  /** False to leave out limits that travel in a request. */
  readonly hasOverrides?: boolean
  /** True for rules that a program of January 2026 takes the same: no metadata, no quota mode, `*` only at the end. */
  readonly isOld?: boolean
  readonly requests?: number
}

const keys = ['user', 'path', 'k', 'a', 'a_b', 'remote_address', 'K', 'us*r', 'us*', '*', 'k_', 'ip.v4']
const values = [
  ...['', '', 'a', 'b', 'ab', 'x_', '10.0.0.1', '1234.5.6.7', 'files/y.z', 'ünï', 'with:colon|bar'],
  ...['a*', '*', '**', '*c', 'a*b*c', '10.0.0.*', 'files/*', '*_', 'long-zzzzzzzzzzzzzzzzzzzzzzzz'],
]
const fillings = ['', 'x', 'ab', '_', '7', 'c', 'e', 'zz']
const units = ['day', 'week', 'Month', 'YEAR']
const names = ['n1', 'n2', 'n3', 'limit name']
const metadata = ['{owner: team, level: 3}', '{owner: other, on: true}', '{list: [1, a], 5: five}', '{pi: 1.5}']

/** Makes the run of one seed; the same seed gives the same run for ever. */
export function randomRun(seed: number, options: RandomOptions = {}): RandomRun {
  const random = createRandom(seed, 'ratelimit rules')
  const domain = `random${seed}`
  const paths: (readonly Written[])[] = []
  const lines = descriptorLines(random, 1, [], paths, options.isOld === true)
  const requests = Array.from({ length: options.requests ?? 60 }, () =>
    JSON.stringify(request(random, domain, paths, options.hasOverrides !== false)),
  )
  return { domain, yaml: [`domain: ${domain}`, 'descriptors:', ...lines, ''].join('\n'), requests }
}

/** A key and a value as a rule has them. */
interface Written {
  readonly key: string
  readonly value: string
}

function pick<T>(random: Random, items: readonly T[]): T {
  const item = items[random.integer(0, items.length - 1)]
  if (item === undefined) throw new Error('nothing to pick from')
  return item
}

const chance = (random: Random, share: number) => random.uniform() < share

function descriptorLines(
  random: Random,
  depth: number,
  above: readonly Written[],
  paths: (readonly Written[])[],
  isOld: boolean,
): string[] {
  const taken = new Set<string>()
  return Array.from({ length: random.integer(1, depth === 1 ? 6 : 4) }).flatMap(() => {
    const drawn = { key: pick(random, keys), value: pick(random, values) }
    const written = isOld ? onlyAtEnd(drawn) : drawn
    const composite = written.value === '' ? written.key : `${written.key}_${written.value}`
    if (taken.has(composite)) return []
    taken.add(composite)
    const path = [...above, written]
    paths.push(path)
    const indent = '    '.repeat(depth).slice(2)
    return [
      `${indent}- key: ${JSON.stringify(written.key)}`,
      ...fieldLines(random, written, composite, isOld).map((line) => `${indent}  ${line}`),
      ...(depth < 4 && chance(random, 0.45)
        ? [`${indent}  descriptors:`, ...descriptorLines(random, depth + 1, path, paths, isOld)]
        : []),
    ]
  })
}

/** Puts another character for each wildcard of an entry but one at its end. */
function onlyAtEnd({ key, value }: Written): Written {
  const inside = (text: string) => text.replaceAll(/\*(?=.)/g, 'w')
  return value === '' ? { key: inside(key), value } : { key: inside(`${key}.`).slice(0, -1), value: inside(value) }
}

function fieldLines(random: Random, { value }: Written, composite: string, isOld: boolean): readonly string[] {
  const flag = (name: string, share: number) => (chance(random, share) ? [`${name}: true`] : [])
  return [
    ...(value === '' ? [] : [`value: ${JSON.stringify(value)}`]),
    ...(chance(random, 0.75) ? [`rate_limit: ${limitText(random)}`] : []),
    ...flag('shadow_mode', 0.12),
    ...(isOld ? [] : flag('quota_mode', 0.2)),
    ...flag('detailed_metric', 0.25),
    ...flag('value_to_metric', 0.25),
    ...(composite.includes('*') ? flag('share_threshold', 0.5) : []),
    ...(chance(random, 0.3) && !isOld ? [`metadata: ${pick(random, metadata)}`] : []),
  ]
}

function limitText(random: Random): string {
  const name = chance(random, 0.4) ? [`name: ${pick(random, names)}`] : []
  const others = names.filter((candidate) => !name.includes(`name: ${candidate}`))
  const replaces = chance(random, 0.15) ? [`replaces: [{name: ${pick(random, others)}}]`] : []
  const numbers = chance(random, 0.08)
    ? ['unlimited: true']
    : [`unit: ${pick(random, units)}`, ...(chance(random, 0.05) ? [] : [`requests_per_unit: ${amount(random)}`])]
  return `{${[...numbers, ...name, ...replaces].join(', ')}}`
}

function amount(random: Random): number {
  return chance(random, 0.06) ? 4_294_967_295 : random.integer(0, 14)
}

function request(random: Random, domain: string, paths: readonly (readonly Written[])[], hasOverrides: boolean) {
  return {
    domain: chance(random, 0.03) ? 'unknown' : domain,
    descriptors: Array.from({ length: random.integer(1, 4) }, () => descriptor(random, paths, hasOverrides)),
    ...(chance(random, 0.3) && { hitsAddend: random.integer(0, 6) }),
  }
}

function descriptor(random: Random, paths: readonly (readonly Written[])[], hasOverrides: boolean) {
  const path = pick(random, paths)
  const length = chance(random, 0.85) ? path.length : random.integer(0, path.length)
  const entries = path.slice(0, length).map((written) => entry(random, written))
  const extra = chance(random, 0.08) ? [entry(random, pick(random, path))] : []
  return {
    entries: [...entries, ...extra],
    ...(hasOverrides &&
      chance(random, 0.12) && {
        limit: { requestsPerUnit: random.integer(0, 9), unit: pick(random, ['DAY', 'MONTH', 'YEAR', 7]) },
      }),
    ...(chance(random, 0.15) && { hitsAddend: String(random.integer(0, 5)) }),
  }
}

/** An entry that mostly meets its rule: every `*` filled, an absent value made up. */
function entry(random: Random, { key, value }: Written) {
  const fill = (text: string) => text.replace(/\*/g, () => (chance(random, 0.1) ? '*' : pick(random, fillings)))
  const wanted = value === '' ? pick(random, values) : value
  return { key: fill(key), value: chance(random, 0.1) ? pick(random, values) : fill(wanted) }
}
