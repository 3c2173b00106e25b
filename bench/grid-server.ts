/** Starts the grid service of a bench in a separate workerd, and reads what that costs. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundlePath } from '#bin/bundle-workers.ts'
import { gridToken } from '#test/support/grid-service.ts'
import { startWorkerd } from '#test/support/workerd.ts'

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
export async function startGridServer(vars: Readonly<Record<string, string>> = {}): Promise<GridServer> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-grid-'))
  const objects = {
    SIMULATION: 'SimulationObject',
    RELAY: 'RelayObject',
    SIMULATION_DIRECTORY: 'SimulationDirectoryObject',
  }
  const { url, pid, kill } = await startWorkerd({
    script: bundlePath('grid'),
    objects,
    vars: { GRID_TOKEN: gridToken, ...vars },
    folder,
  })
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

/** User and system time are the 14th and 15th fields, in hundredths of a second; the name before them ends in `)`. */
function processorSeconds(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

function residentBytes(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kibibytes) * 1024
}
