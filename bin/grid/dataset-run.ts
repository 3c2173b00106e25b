/** Writes one run of a data set, in this thread or in another one. */

import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { describeRun, type WrittenFile, type WrittenRun } from '#grid/dataset/manifest.ts'
import type { Run } from '#grid/dataset/plan.ts'
import { computeRun } from '#grid/dataset/run.ts'

/** A run to write. */
export interface RunOrder {
  readonly run: Run
  /** Folder of the data set. */
  readonly out: string
  /** Octets of a capture file at which the next one begins. */
  readonly captureOctets: number
}

/** Message of a thread: steps that are computed, or the run when all of it is written. */
type Message = { readonly step: number } | { readonly written: WrittenRun }

/** Writes a run here. */
export function writeRun({ run, out, captureOctets }: RunOrder, onStep: (step: number) => void): WrittenRun {
  const files = new Map<
    string,
    { readonly file: number; octets: number; readonly hash: ReturnType<typeof sha256.create> }
  >()
  try {
    const pieces = computeRun(run, captureOctets)
    for (;;) {
      const next = pieces.next()
      if (next.done) return describeRun(run, next.value, [...files].map(toWritten))
      const { path, bytes, step } = next.value
      const file = files.get(path) ?? openFile(join(out, path))
      files.set(path, file)
      writeSync(file.file, bytes)
      file.octets += bytes.length
      file.hash.update(bytes)
      onStep(step)
    }
  } finally {
    for (const { file } of files.values()) closeSync(file)
  }

  function openFile(path: string) {
    mkdirSync(dirname(path), { recursive: true })
    return { file: openSync(path, 'wx'), octets: 0, hash: sha256.create() }
  }

  function toWritten([path, { octets, hash }]: [
    string,
    { octets: number; hash: { digest(): Uint8Array } },
  ]): WrittenFile {
    return { path, octets, sha256: bytesToHex(hash.digest()) }
  }
}

/** Writes a run in another thread, which runs this command again. */
export function writeRunInThread(order: RunOrder, onStep: (step: number) => void): Promise<WrittenRun> {
  const [, script = ''] = process.argv
  // The command `sluice` has taken its first argument away.
  const argv = basename(script).startsWith('grid') ? ['dataset'] : ['grid', 'dataset']
  return new Promise((resolve, reject) => {
    const thread = new Worker(script, { argv, workerData: order })
    thread.on('message', (message: Message) => {
      if ('step' in message) onStep(message.step)
      else resolve(message.written)
    })
    thread.once('error', reject)
    thread.once('exit', () => reject(new Error(`Cannot make the data set: the thread of ${order.run.id} ended early`)))
  })
}

/** Serves such a thread. @returns false in the main thread. */
export function serveThread(): boolean {
  const port = parentPort
  if (isMainThread || port === null) return false
  const order = workerData as RunOrder // `writeRunInThread` gives it.
  let toldMs = 0
  const written = writeRun(order, (step) => {
    const nowMs = Date.now()
    if (nowMs - toldMs < 200) return
    toldMs = nowMs
    port.postMessage({ step } satisfies Message)
  })
  port.postMessage({ written } satisfies Message)
  return true
}
