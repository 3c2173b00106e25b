/** Writes one run of a data set, in this thread or in another one. */

import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parentPort, Worker, workerData } from 'node:worker_threads'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { describeRun, type WrittenFile, type WrittenRun } from '#grid/dataset/manifest.ts'
import type { Run } from '#grid/dataset/plan.ts'
import { type CaptureLimits, computeRun } from '#grid/dataset/run.ts'
import { runAgain } from '../command-line.ts'

/** A run to write. */
export interface RunOrder {
  readonly run: Run
  /** Folder of the data set. */
  readonly out: string
  readonly limits: CaptureLimits
}

type Message = { readonly step: number } | { readonly written: WrittenRun }

/** Writes a run in this thread; `onStep` gets the number of computed steps with each piece. */
export function writeRun({ run, out, limits }: RunOrder, onStep: (step: number) => void): WrittenRun {
  const files = new Map<string, OpenFile>()
  try {
    const pieces = computeRun(run, limits)
    for (;;) {
      const next = pieces.next()
      if (next.done) return describeRun(run, next.value, [...files].map(describeFile))
      const { path, bytes, step } = next.value
      const file = files.get(path) ?? openFile(join(out, path))
      files.set(path, file)
      writeSync(file.descriptor, bytes)
      file.octets += bytes.length
      file.hash.update(bytes)
      onStep(step)
    }
  } finally {
    for (const { descriptor } of files.values()) closeSync(descriptor)
  }
}

interface OpenFile {
  readonly descriptor: number
  octets: number
  readonly hash: ReturnType<typeof sha256.create>
}

function openFile(path: string): OpenFile {
  mkdirSync(dirname(path), { recursive: true })
  return { descriptor: openSync(path, 'wx'), octets: 0, hash: sha256.create() }
}

function describeFile([path, { octets, hash }]: readonly [string, OpenFile]): WrittenFile {
  return { path, octets, sha256: bytesToHex(hash.digest()) }
}

/** Writes a run in another thread, which runs this command again. */
export function writeRunInThread(order: RunOrder, onStep: (step: number) => void): Promise<WrittenRun> {
  const { script, args } = runAgain('grid', 'dataset')
  return new Promise((resolve, reject) => {
    const thread = new Worker(script, { argv: [...args], workerData: order })
    thread.on('message', (message: Message) => {
      if ('step' in message) onStep(message.step)
      else resolve(message.written)
    })
    thread.once('error', reject)
    thread.once('exit', () => reject(new Error(`Cannot make the data set: the thread of ${order.run.id} ended early`)))
  })
}

/** Writes the run of this thread, which `writeRunInThread` has started. @returns false in the main thread. */
export function writeRunOfThread(): boolean {
  const port = parentPort
  if (port === null) return false
  let reportedMs = 0
  // `writeRunInThread` gives the order.
  const written = writeRun(workerData as RunOrder, (step) => {
    const nowMs = Date.now()
    if (nowMs - reportedMs < 200) return
    reportedMs = nowMs
    port.postMessage({ step } satisfies Message)
  })
  port.postMessage({ written } satisfies Message)
  return true
}
