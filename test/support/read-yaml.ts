/** The readers of configuration files, each with all its slices at once. */

import { doAtOnce } from '#base/slices.ts'
import * as document from '#ratelimit/config/document.ts'
import * as grammar from '#ratelimit/config/grammar.ts'
import * as syntax from '#ratelimit/config/syntax.ts'

/** `parseSyntax` at once. */
export const parseSyntax = (text: string, isKept = false) => doAtOnce(syntax.parseSyntax(text, isKept))

/** `parseYaml` at once. */
export const parseYaml = (text: string, isKept = false) => doAtOnce(document.parseYaml(text, isKept))

/** `readDocument` at once. */
export const readDocument = (text: string, isKept = false) => doAtOnce(grammar.readDocument(text, isKept))
