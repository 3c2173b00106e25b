/** Rules of tests: texts of YAML compiled at once. */

import { type CompileOptions, compileRead, readFiles } from '../../src/ratelimit/config/compile.ts'
import type { ConfigFile } from '../../src/ratelimit/config/document.ts'
import type { RuleBook } from '../../src/ratelimit/rule-book.ts'

/** Compiles files in the order given; throws the first mistake. */
export function compileRules(files: readonly ConfigFile[], options: CompileOptions = {}): RuleBook {
  return compileRead(readFiles(files), options)
}
