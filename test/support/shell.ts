/** One shell that runs the blocks of a page as a reader copies them: functions and variables stay. */

import { spawn } from 'node:child_process'
import { eventually, once } from './wait.ts'

/** A shell that runs. */
export interface Shell {
  /**
   * Runs a block and waits until it has ended.
   *
   * @returns what it printed.
   * @throws Error with what it printed, when a command of it fails or it does not end.
   */
  run(block: string): Promise<string>
  stop(): Promise<void>
}

/** Starts bash, which ends at the first command that fails. */
export function startShell(cwd: string, secrets: NodeJS.ProcessEnv): Shell {
  const child = spawn('bash', ['-e'], { cwd, env: { ...process.env, ...secrets } })
  let [printed, runs] = ['', 0]
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      printed += String(chunk)
    })
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  return {
    async run(block) {
      const end = `end of block ${++runs}`
      printed = ''
      if (!hasEnded()) child.stdin.write(`${block}\necho '${end}'\n`)
      await eventually(
        block,
        () => printed.includes(end) || hasEnded(),
        () => printed,
      )
      if (!printed.includes(end)) throw new Error(`The shell has ended in this block or before it: ${printed}`)
      return printed.replace(`${end}\n`, '')
    },
    async stop() {
      if (!hasEnded() && child.kill('SIGKILL')) await once(child, 'close')
    },
  }
}
