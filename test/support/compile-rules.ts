/** Rules of tests: texts of YAML compiled at once. */

import {
  type Compiled,
  type CompileOptions,
  type ConfigFile,
  checkFiles,
  compileFiles,
  parseFiles,
} from '#ratelimit/config/compile.ts'
import type { RuleBook } from '#ratelimit/rule-book.ts'
import type { Descriptor } from '#ratelimit/types.ts'
import { beginWork, type Work } from '#ratelimit/work.ts'

/** Compiles files in the order given; throws the first mistake. */
export function compileRules(files: readonly ConfigFile[], options: CompileOptions = {}): RuleBook {
  return compileFiles(parseFiles(files), options)
}

/** Compiles files and lists all their mistakes. */
export function checkRules(files: readonly ConfigFile[], options: CompileOptions = {}): Compiled {
  return checkFiles(parseFiles(files), options)
}

/** Compiles a file of the domain `shop` from the lines below `descriptors:`. */
export function compileShop(...lines: readonly string[]): RuleBook {
  const text = ['domain: shop', 'descriptors:', ...lines].join('\n')
  return compileRules([{ key: 'config.shop.yaml', text }])
}

/** A descriptor of one entry with the value `v`. */
export function named(key: string, options: Partial<Descriptor> = {}): Descriptor {
  return { entries: [{ key, value: 'v' }], ...options }
}

/** A budget that no test here uses up. */
export function enoughWork(): Work {
  return beginWork(1_000_000)
}
