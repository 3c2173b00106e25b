/** The browser's Back closes what was opened last: each part that is open over a view has an entry of the history. */

/** The part that opened an entry of the history; empty for a view. */
interface Opening {
  /** A part that the address names, such as a sheet. */
  readonly isPart?: boolean
  /** A dialog, by its number. */
  readonly dialog?: number
}

const dialogs = new Map<number, () => void>()
let lastDialog = 0

/** Steps back that this page has asked for and the browser has not made; each with the address that follows it. */
const steps: (string | null)[] = []
const afterSteps: (() => void)[] = []

function readOpening(): Opening {
  // Only this file writes the state of an entry.
  return (history.state ?? {}) as Opening
}

/** Makes an entry for another view. */
export function pushEntry(address: string): void {
  whenSettled(() => history.pushState(null, '', address))
}

/** Makes an entry for a part of the view that opens, or changes that of a part that is open. */
export function openPartEntry(address: string): void {
  whenSettled(() => {
    if (readOpening().isPart === true) history.replaceState(history.state, '', address)
    else history.pushState({ isPart: true }, '', address)
  })
}

/** Leaves the entry of a part that closes; an entry that a link has made stays. */
export function closePartEntry(address: string): void {
  whenSettled(() => {
    if (readOpening().isPart === true) leaveEntry(address)
    else history.replaceState(history.state, '', address)
  })
}

/** Changes the address of the entry; what is open over the view stays open. */
export function replaceEntry(address: string): void {
  whenSettled(() => history.replaceState(history.state, '', address))
}

/** Makes the entry that of another view, over which nothing is open. */
export function replaceView(address: string): void {
  whenSettled(() => history.replaceState(null, '', address))
}

/** Leaves the entry that opening something has made. @param address - For the entry before it; null keeps its own. */
function leaveEntry(address: string | null): void {
  steps.push(address)
  // One after the other: of two steps asked for at once a browser may make one.
  if (steps.length === 1) history.back()
}

/** Makes an entry for a dialog: `close` is called when the person goes back, the result when the dialog closes. */
export function openDialogEntry(close: () => void): () => void {
  lastDialog += 1
  const dialog = lastDialog
  dialogs.set(dialog, close)
  whenSettled(() => {
    if (dialogs.has(dialog)) history.pushState({ ...readOpening(), dialog }, '')
  })
  return () => {
    // The entry is another one where the dialog led to another view, or the person went back.
    if (dialogs.delete(dialog) && readOpening().dialog === dialog) leaveEntry(null)
  }
}

/** Follows the history. @param onMove - Called when the address may be another one. */
export function followHistory(onMove: () => void): void {
  addEventListener('popstate', () => {
    if (steps.length > 0) settleStep()
    else closeDialogs(readOpening().dialog ?? 0)
    // Between two steps the address is one that the page has left already.
    if (steps.length === 0) onMove()
  })
  // A reload closes the dialog that was open, and its entry stays.
  if (readOpening().dialog !== undefined) leaveEntry(null)
}

function settleStep(): void {
  const address = steps.shift() ?? null
  if (address !== null) history.replaceState(history.state, '', address)
  if (steps.length > 0) history.back()
  // A change may ask for a step itself, which the next one waits for.
  while (steps.length === 0 && afterSteps.length > 0) afterSteps.shift()?.()
}

function closeDialogs(upTo: number): void {
  for (const [dialog, close] of [...dialogs].reverse()) {
    if (dialog <= upTo) return
    dialogs.delete(dialog)
    close()
  }
}

/** Makes a change of the history once the browser has stepped back: before, it would change the wrong entry. */
function whenSettled(change: () => void): void {
  if (steps.length > 0 || afterSteps.length > 0) afterSteps.push(change)
  else change()
}
