/** The blocks `sluice` of a configuration, for those that cannot count by them: the reference, Redis and memcached. */

import type { Mistake } from '../contract/configuration.ts'
import type { Settings } from '../settings.ts'
import type { ParsedFile } from './compile.ts'
import type { DescriptorBlock, SluiceBlock } from './grammar.ts'

/** Lists what the reference does not know of files: it refuses the whole set. */
export function unknownToReference(files: readonly ParsedFile[]): readonly Mistake[] {
  const hint = 'the reference refuses the whole configuration; leave out sluice there'
  return listBlocks(files).map(({ block: _, ...place }) => ({
    ...place,
    message: "the reference has no key 'sluice'",
    hint,
  }))
}

/** Lists the limits that a store cannot count exactly: memcached decides nothing, Redis keeps no reservations. */
export function unknownToStore(files: readonly ParsedFile[], store: Settings['BACKEND_TYPE']): readonly Mistake[] {
  if (store === 'durable-object') return []
  const isRedis = store === 'redis'
  const message = isRedis ? 'Redis holds no hits' : 'memcached counts windows of a unit only'
  const right = isRedis
    ? 'durable-object, or leave out unsettled, concurrency and all_or_nothing'
    : 'durable-object or redis, or leave out sluice'
  return listBlocks(files).flatMap(({ block, ...place }) => {
    const isKnown = block === null || (isRedis ? !holdsHits(block) : isPlain(block))
    return isKnown ? [] : [{ ...place, message, hint: `set BACKEND_TYPE to ${right}` }]
  })
}

function holdsHits({ algorithm, charge, unsettled, limits }: SluiceBlock): boolean {
  const isHolding = algorithm === 'concurrency' || charge === 'all_or_nothing' || unsettled !== ''
  return isHolding || limits.some(({ sluice }) => sluice !== null && holdsHits(sluice))
}

function isPlain({ algorithm, unitMultiplier = 1, charge, limits, unsettled }: SluiceBlock): boolean {
  const isDefault = (text: string, first: string) => text === '' || text === first
  return (
    isDefault(algorithm, 'fixed') &&
    unitMultiplier === 1 &&
    isDefault(charge, 'all') &&
    limits.length === 0 &&
    unsettled === ''
  )
}

interface PlacedBlock {
  readonly file: string
  readonly path: string
  readonly line: number
  /** Null for the block of a descriptor, which says what it matches. */
  readonly block: SluiceBlock | null
}

function listBlocks(files: readonly ParsedFile[]): readonly PlacedBlock[] {
  return files.flatMap(({ file, result }) =>
    [...placesIn(result.document?.descriptors ?? [], '')].map((place) => ({ file, ...place })),
  )
}

function* placesIn(descriptors: readonly DescriptorBlock[], path: string): Generator<Omit<PlacedBlock, 'file'>> {
  for (const [index, { rateLimit, pattern, descriptors: below }] of descriptors.entries()) {
    const own = `${path === '' ? '' : `${path}.`}descriptors[${index}]`
    if (pattern !== null) yield { path: `${own}.sluice`, line: pattern.line, block: null }
    const block = rateLimit?.sluice ?? null
    // Blocks of further limits are part of the first one.
    if (block !== null) yield { path: `${own}.rate_limit.sluice`, line: block.line, block }
    yield* placesIn(below, own)
  }
}
