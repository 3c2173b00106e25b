/** The readers of configuration files, each with all its slices at once. */

import { doAtOnce } from '#base/slices.ts'
import * as syntax from '#base/yaml/syntax.ts'
import * as document from '#ratelimit/config/document.ts'
import * as grammar from '#ratelimit/config/grammar.ts'

/** `parseSyntax` at once. */
export const parseSyntax = (text: string) => doAtOnce(syntax.parseSyntax(text))

/** `parseYaml` at once. */
export const parseYaml = (text: string) => doAtOnce(document.parseYaml(text))

/** `readDocument` at once. */
export const readDocument = (text: string) => doAtOnce(grammar.readDocument(text))
