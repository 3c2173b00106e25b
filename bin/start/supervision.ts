/** Keeps the runtime running: starts it again when it ends, says so, and gives up when it ends again and again. */

import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '#base/errors.ts'
import type { RuntimePlan } from '../runtime/configuration.ts'
import { type RuntimeProcess, startRuntimeProcess } from '../runtime/process.ts'
import { forgetRuntime, recordRuntime } from './runtime-record.ts'

interface SupervisionOptions {
  /** A port of 127.0.0.1 for the inspector; 0 for none. */
  readonly inspectorPort: number
  /** The state folder, where the runtime's process is written down. */
  readonly folder: string
  /** It has ended and is about to be started again; nothing is answered meanwhile. */
  readonly onDown: () => void
  readonly say: (line: string) => void
}

/** A runtime that lived this long in milliseconds was well; ends before its own count no more. */
export const healthyAfterMs = 60_000

/** After so many ends in a row, none of a healthy runtime, it is not started again. */
export const maxQuickEnds = 5

/** Decides about a runtime that has ended: the pause doubles from 100 ms with every quick end, until null gives up. */
export function decideRestart(quickEnds: number, livedMs: number) {
  const counted = livedMs >= healthyAfterMs ? 1 : quickEnds + 1
  return { quickEnds: counted, afterMs: counted >= maxQuickEnds ? null : 100 * 2 ** (counted - 1) }
}

/** Starts the runtime and keeps it running, on the same sockets. */
export async function superviseRuntime(plan: RuntimePlan, { inspectorPort, folder, onDown, say }: SupervisionOptions) {
  let isStopping = false
  let runtime = await start()

  async function start(): Promise<RuntimeProcess> {
    const started = await startRuntimeProcess(plan, { inspectorPort })
    recordRuntime(folder, started.pid)
    return started
  }

  /** Starts it again after each end; returns a line when it has ended too often, null once it is stopped. */
  async function keepRunning(): Promise<string | null> {
    let quickEnds = 0
    let startedMs = Date.now()
    let reason = await runtime.ended
    while (!isStopping) {
      onDown()
      const next = decideRestart(quickEnds, Date.now() - startedMs)
      quickEnds = next.quickEnds
      if (next.afterMs === null) {
        return `Cannot go on: the runtime ended ${quickEnds} times, one soon after the other, at last by ${reason}`
      }
      say(`The runtime ended by ${reason}: starting it again in ${next.afterMs} ms, state is kept`)
      await sleep(next.afterMs)
      startedMs = Date.now()
      reason = await runAgain()
    }
    return null
  }

  /** Runs it until it ends, and returns why; also where it did so before it listened. */
  async function runAgain(): Promise<string> {
    if (isStopping) return ''
    try {
      runtime = await start()
    } catch (error) {
      return messageOf(error)
    }
    if (isStopping) await runtime.stop()
    else say('The runtime runs again')
    return runtime.ended
  }

  return {
    /** Settles with one line when the runtime ended too often. */
    failed: new Promise<string>((resolve) => {
      void keepRunning().then((line) => {
        if (line !== null) resolve(line)
      })
    }),
    async stop(): Promise<void> {
      isStopping = true
      await runtime.stop()
      forgetRuntime(folder)
    },
  }
}
