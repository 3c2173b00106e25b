/**
 * Record in a state folder of the runtime that works on it: a start that is killed cannot end its runtime itself,
 * and the next start must not run beside it.
 */

import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isRecord } from '#base/json.ts'
import { replaceFile } from '../run/replace-file.mjs'

/** Longest time for which a runtime outlives its start, in milliseconds; its watchdog needs a fraction of it. */
const farewellMs = 5_000

/** Writes down that a process is the runtime of this folder. */
export function recordRuntime(folder: string, pid: number): void {
  replaceFile(fileIn(folder), JSON.stringify({ pid, started: startedAt(pid) }), { mode: 0o600 })
}

/** Forgets the runtime of this folder, which has ended. */
export function forgetRuntime(folder: string): void {
  rmSync(fileIn(folder), { force: true })
}

/** Waits five seconds for the runtime of an earlier start to end; gives the process id of one that still runs. */
export async function runtimeLeftBehind(folder: string, patienceMs = farewellMs): Promise<number | null> {
  const record = readRecord(folder)
  if (record === null) return null
  for (let waited = 0; waited <= patienceMs; waited += 50) {
    if (startedAt(record.pid) !== record.started) return null
    await sleep(50)
  }
  return record.pid
}

function fileIn(folder: string): string {
  return join(folder, 'runtime.json')
}

function readRecord(folder: string): { readonly pid: number; readonly started: string } | null {
  try {
    const record: unknown = JSON.parse(readFileSync(fileIn(folder), 'utf8'))
    const { pid, started } = isRecord(record) ? record : {}
    return typeof pid === 'number' && typeof started === 'string' ? { pid, started } : null
  } catch {
    // Missing, or cut short by a crash: then it names no process.
    return null
  }
}

/** Reads the start time of a process as the system writes it, which tells two processes of one id apart; null after its end. */
function startedAt(pid: number): string | null {
  try {
    if (process.platform !== 'linux') {
      return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || null
    }
    // proc(5): after the name in brackets come state (field 3) and, as field 22, the start in clock ticks.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(')').at(-1)?.trim().split(' ') ?? []
    return fields[0] === 'Z' ? null : (fields[19] ?? null)
  } catch {
    return null
  }
}
