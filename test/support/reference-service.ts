/** Starts the reference service, where the environment says where its program is. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, type RunningProgram, startProgram, waitForPort } from './process.ts'

/** The path of its program in RATELIMIT_REFERENCE, or null. */
export const referenceProgram = process.env.RATELIMIT_REFERENCE || null

/** A reference service that runs. */
export interface RunningReference {
  /** `http://127.0.0.1:PORT`, without a slash at the end. */
  readonly url: string
  readonly grpcPort: number
  /** `http://127.0.0.1:PORT` of its debug listener. */
  readonly debugUrl: string
  readonly program: RunningProgram
  stop(): Promise<void>
}

/**
 * Starts it with one configuration file, or with several by name.
 *
 * @param env - Its variables: which back end, and where.
 */
export async function startReference(
  rules: string | Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>>,
): Promise<RunningReference> {
  if (referenceProgram === null) throw new Error('RATELIMIT_REFERENCE does not name the program')
  const folder = mkdtempSync(join(tmpdir(), 'sluice-reference-'))
  mkdirSync(join(folder, 'ratelimit/config'), { recursive: true })
  const files = typeof rules === 'string' ? { 'rules.yaml': rules } : rules
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, 'ratelimit/config', name), text)
  }
  const [port, grpcPort, debugPort] = [await freePort(), await freePort(), await freePort()]
  const program = startProgram(referenceProgram, [], {
    PORT: String(port),
    GRPC_PORT: String(grpcPort),
    DEBUG_PORT: String(debugPort),
    RUNTIME_ROOT: folder,
    RUNTIME_SUBDIRECTORY: 'ratelimit',
    RUNTIME_WATCH_ROOT: 'false',
    USE_STATSD: 'false',
    LOG_LEVEL: 'error',
    ...env,
  })
  await waitForPort(port, program)
  return {
    url: `http://127.0.0.1:${port}`,
    grpcPort,
    debugUrl: `http://127.0.0.1:${debugPort}`,
    program,
    async stop() {
      await program.stop('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
