/** Edits of rules that are not published: kept in the tab, with the revision that they began from. */

import { signal } from '@preact/signals'
import { isRecord } from '#base/json.ts'

/** Texts of files by name. */
export type Files = Readonly<Record<string, string>>

/** The edits of the files of one revision. */
export interface Draft {
  readonly revision: number
  readonly edits: Readonly<Record<string, { readonly before: string | null; readonly after: string | null }>>
}

/** Most characters of a draft that outlives a reload: the browser gives a page some five million for everything. */
export const mostKept = 1_000_000

const storageKey = 'sluice-rules-draft'

/** The draft of this tab; null without one. */
export const draft = signal<Draft | null>(readDraft())

/** True where the draft is too long to outlive a reload, or the browser has no room for it. */
export const isUnkept = signal(false)

/** The edits that make `files` of the running ones; null where there are none. */
export function makeDraft(revision: number, running: Files, files: Files): Draft | null {
  const edits = Object.keys({ ...running, ...files })
    .map((name) => [name, { before: running[name] ?? null, after: files[name] ?? null }] as const)
    .filter(([, { before, after }]) => before !== after)
  return edits.length === 0 ? null : { revision, edits: Object.fromEntries(edits) }
}

/** The running files with the edits of a draft made to them. */
export function withEdits({ edits }: Draft, running: Files): Files {
  const edited = Object.entries(edits).map(([name, { after }]) => [name, after] as const)
  const texts = Object.entries({ ...running, ...Object.fromEntries(edited) })
  return Object.fromEntries(texts.filter((pair): pair is [string, string] => pair[1] !== null))
}

/** The files that a newer revision changes too, in another way: the draft would undo that. */
export function findClashes({ edits }: Draft, running: Files): readonly string[] {
  return Object.entries(edits).flatMap(([name, { before, after }]) => {
    const text = running[name] ?? null
    return text === before || text === after ? [] : [name]
  })
}

/** Keeps a draft for the views of this tab and, where it is short enough, for a reload; null forgets it. */
export function keepDraft(next: Draft | null): void {
  draft.value = next
  // An earlier draft must not be taken for this one.
  sessionStorage.removeItem(storageKey)
  isUnkept.value = next !== null && !store(JSON.stringify(next))
}

/** Stores a draft for a reload. @returns false where it is too long, or the browser has no room. */
function store(text: string): boolean {
  if (text.length > mostKept) return false
  try {
    sessionStorage.setItem(storageKey, text)
    return true
  } catch {
    return false
  }
}

function readDraft(): Draft | null {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(storageKey) ?? 'null')
    return isDraft(kept) ? kept : null
  } catch {
    return null
  }
}

function isDraft(value: unknown): value is Draft {
  if (!isRecord(value) || !Number.isSafeInteger(value.revision) || !isRecord(value.edits)) return false
  const edits = Object.values(value.edits)
  return edits.length > 0 && edits.every((edit) => isRecord(edit) && isText(edit.before) && isText(edit.after))
}

function isText(value: unknown): value is string | null {
  return value === null || typeof value === 'string'
}
