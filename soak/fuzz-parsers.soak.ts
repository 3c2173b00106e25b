/** Mutated inputs to every parser: each is read or refused with an error of ours, and none takes long. */

import { createRandom, type RandomState, resumeRandom } from '#base/random.ts'
import { mutateOctets } from './mutate.ts'
import { gatherViolations, grouped, type Soak, scaled, type Violations } from './outcome.ts'
import { isRefusal, type Parser, parsers } from './parsers.ts'

/** An input that takes longer than this, in milliseconds of processor time, three times over, is a violation. */
const slowMs = 200

export const run: Soak = async (scale) => {
  const each = scaled(20_000, scale)
  const violations = gatherViolations()
  const refused = parsers.map((parser) => fuzz(parser, each, violations)).reduce((sum, count) => sum + count, 0)
  if (Object.keys(Object.prototype).length > 0) violations.add('the prototype of all objects was changed')
  return {
    done: `${grouped(each * parsers.length)} inputs to ${parsers.length} parsers, seed 1`,
    facts: [`${grouped(refused)} refused`],
    violations: violations.list(),
  }
}

function fuzz(parser: Parser, inputs: number, violations: Violations): number {
  const random = createRandom(1, parser.name)
  const seen = new Set<string>()
  let refused = 0
  for (let number = 0; number < inputs; number++) {
    const seed = parser.seeds[number % parser.seeds.length] ?? new Uint8Array()
    const input = number < parser.seeds.length ? seed : mutateOctets(seed, random)
    const before = process.cpuUsage()
    const error = failureOf(parser, input, random.state())
    const { user, system } = process.cpuUsage(before)
    if (error !== null) refused += 1
    if (error !== null && !isRefusal(parser, error)) report(parser, input, error, seen, violations)
    if (user + system > slowMs * 1000 && isSlow(parser, input)) {
      violations.add(`${parser.name} is slow on ${Buffer.from(input).toString('base64').slice(0, 2000)}`)
    }
  }
  return refused
}

/** Returns the error of a parser; null when it reads the input. */
function failureOf({ read }: Parser, input: Uint8Array, state: RandomState): unknown {
  try {
    read(input, resumeRandom(state))
    return null
  } catch (error) {
    return error ?? 'nothing'
  }
}

/** Reports each place in the code once, with the smallest input that gets there. */
function report(parser: Parser, input: Uint8Array, error: unknown, seen: Set<string>, violations: Violations): void {
  const where =
    error instanceof Error
      ? `${error.name}: ${error.message.slice(0, 80)} ${error.stack?.split('\n')[1]?.trim()}`
      : String(error)
  if (seen.has(where)) return
  seen.add(where)
  violations.add(`${parser.name} threw ${where} on ${Buffer.from(input).toString('base64').slice(0, 2000)}`)
}

function isSlow(parser: Parser, input: Uint8Array): boolean {
  const state = createRandom(1, parser.name).state()
  return [1, 2, 3].every(() => {
    const before = process.cpuUsage()
    failureOf(parser, input, state)
    const { user, system } = process.cpuUsage(before)
    return user + system > slowMs * 1000
  })
}
