/** `npm start` as a program beside the tests. */

import { join } from 'node:path'
import { projectRoot } from '#bin/project.ts'
import { type RunningProgram, startProgram, waitFor } from './process.ts'

/** Flags of a start that listens on this port and no other. */
export const onlyPort = (port: number): readonly string[] => [
  ...['--port', `${port}`, '--debug-port', '0'],
  ...['--grpc-port', '0', '--node-port', '0'],
]

/** Runs the command `start` with these flags. */
export function startSluice(flags: readonly string[], env: NodeJS.ProcessEnv = {}, cwd?: string): RunningProgram {
  return startProgram(process.execPath, [join(projectRoot, 'bin/run.mjs'), 'start', ...flags], env, cwd)
}

/** Waits for the first line of the greeting: everything listens then. */
export function greeting(program: RunningProgram): Promise<void> {
  return waitFor('the greeting', async () => program.output().includes('Sluice runs on'), program)
}
