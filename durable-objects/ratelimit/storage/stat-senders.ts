/** The last batch of each sender of statistics in memory, with those that the tables lack. */

/** The last batch of a sender, and its Unix time in milliseconds. */
export type BatchReceipt = { readonly sender: string; readonly batch: number; readonly at: number }

/** Makes an empty collection. */
export function statSenders() {
  const senders = new Map<string, BatchReceipt>()
  const changed = new Set<string>()
  return {
    /** Enters a batch as the tables have it. */
    restore: (receipt: BatchReceipt): void => void senders.set(receipt.sender, receipt),
    /** Enters a batch that the tables lack. */
    note(receipt: BatchReceipt): void {
      senders.set(receipt.sender, receipt)
      changed.add(receipt.sender)
    },
    /** The number of the last batch of a sender; 0 when there is none. */
    lastBatch: (sender: string): number => senders.get(sender)?.batch ?? 0,
    /** Forgets the senders that were silent since a moment. */
    forgetBefore(ms: number): void {
      for (const { sender, at } of senders.values()) if (at < ms) senders.delete(sender)
    },
    /** The batches that the tables lack. */
    changed: (): readonly BatchReceipt[] => [...changed].flatMap((sender) => senders.get(sender) ?? []),
    countChanged: (): number => changed.size,
    forgetChanges: (): void => changed.clear(),
  }
}
