/** Reads the files of scenarios. */

import { readDocument } from './document.ts'
import { checkScenario, type ReadScenario } from './session.ts'

/** A mistake in a file. */
export interface ScenarioMistake {
  readonly line: number
  /** With the path of the part that is wrong. */
  readonly text: string
}

/** Reads the text of a file; mistakes come in the order of their lines. */
export function readScenario(text: string): ReadScenario<ScenarioMistake> {
  const document = readDocument(text)
  if ('message' in document) return { ok: false, mistakes: [{ line: document.line, text: document.message }] }
  const read = checkScenario(document.value)
  if (read.ok) return read
  const mistakes = read.mistakes.map(({ path, text: what }) => ({ line: document.lineAt(path), text: what }))
  return { ok: false, mistakes: mistakes.sort((one, other) => one.line - other.line) }
}
