/** Keeps the runtime running: starts it again when it ends, says so, and gives up when it ends again and again. */

import { setTimeout as sleep } from 'node:timers/promises'
import { Miniflare, type MiniflareOptions } from 'miniflare'
import { decideRestart } from './restarts.ts'
import { guardRuntime, type RuntimeProcess, watchRuntimeProcesses } from './runtime-process.ts'
import { forgetRuntime, recordRuntime } from './runtime-record.ts'

/** What the caller learns of the runtime's life. */
export interface RuntimeEvents {
  /** It has ended and is about to be started again; nothing is answered meanwhile. */
  readonly onDown?: () => void
  /** It answers again, on the same sockets where their ports were named and on others where they were 0. */
  readonly onUp?: (runtime: Miniflare) => void
  /** Takes one line for a person. */
  readonly say: (line: string) => void
}

/** A runtime that is started again when it ends. */
export interface SupervisedRuntime {
  readonly runtime: Miniflare
  /** Settles with one line when the runtime ended too often. */
  readonly failed: Promise<string>
  stop(): Promise<void>
}

/**
 * Starts the runtime and keeps it running.
 *
 * @param folder - the state folder, where the runtime's process is written down.
 * @throws Error of Miniflare when the first start fails.
 */
export async function superviseRuntime(
  options: MiniflareOptions,
  folder: string,
  events: RuntimeEvents,
): Promise<SupervisedRuntime> {
  let child: RuntimeProcess | undefined
  const unwatch = watchRuntimeProcesses((started) => {
    child = started
    guardRuntime(started)
    recordRuntime(folder, started.pid)
  })
  let isStopping = false
  const runtime = new Miniflare(options)
  await runtime.ready

  async function keepRunning(): Promise<string> {
    let quickEnds = 0
    let startedMs = Date.now()
    for (;;) {
      const reason = (await child?.ended) ?? 'an unknown cause'
      if (isStopping) return ''
      events.onDown?.()
      const next = decideRestart(quickEnds, Date.now() - startedMs)
      if (next.kind === 'give up') {
        return `Cannot go on: the runtime ended ${next.quickEnds} times, one soon after the other, at last by ${reason}`
      }
      quickEnds = next.quickEnds
      events.say(`The runtime ended by ${reason}: starting it again in ${next.afterMs} ms, state is kept`)
      await sleep(next.afterMs)
      startedMs = Date.now()
      if (await startAgain()) events.say('The runtime runs again')
      if (isStopping) return ''
    }
  }

  /** False when it ended before it answered, which counts as one more end. */
  async function startAgain(): Promise<boolean> {
    if (isStopping) return false
    try {
      await runtime.setOptions(options)
      events.onUp?.(runtime)
      return true
    } catch {
      return false
    }
  }

  return {
    runtime,
    failed: new Promise((resolve) => {
      void keepRunning().then((line) => line === '' || resolve(line))
    }),
    async stop() {
      isStopping = true
      unwatch()
      await runtime.dispose()
      forgetRuntime(folder)
    },
  }
}
