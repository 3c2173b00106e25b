/** Starts the grid service of a bench in a separate workerd, and reads what that costs. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gridToken } from '#test/support/grid-service.ts'
import { bundledWorker, startWorkerd } from '#test/support/workerd.ts'
import { processorSeconds, residentBytes } from './servers.ts'

/** A grid service that runs. */
export interface GridServer {
  /** `http://127.0.0.1:PORT`, without a slash at the end. */
  readonly url: string
  /** Processor time that it has taken, in seconds; Linux only, NaN elsewhere. */
  processorSeconds(): number
  /** Memory that it holds, in bytes; Linux only, NaN elsewhere. */
  residentBytes(): number
  stop(): Promise<void>
}

/** Starts the built grid Worker; `stop()` ends it and removes what it wrote. */
export async function startGridServer(more: Readonly<Record<string, string>> = {}): Promise<GridServer> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-grid-'))
  const vars = { GRID_TOKEN: gridToken, ...more }
  const { url, pid, kill } = await startWorkerd({ ...bundledWorker('grid'), vars, folder })
  return {
    url,
    processorSeconds: () => processorSeconds(pid),
    residentBytes: () => residentBytes(pid),
    async stop() {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
