/** `sluice smoke URL`: tests a deployment from outside, right after it was made. It needs no token. */

import { runTool } from './command-line.ts'
import { checkDeployment, waitForDeployment } from './smoke/deployment.ts'

const usage = `Usage: sluice smoke URL [OPTION ...]

Asks a deployment whether its parts are ready, answer, and are closed to strangers. Nothing is changed.

  --expect VERSION     wait until this version answers
  --wait SECONDS       the longest wait for it (30)
  --help               print this

Exit code 0: every check passed; 1: a check failed, or no answer.
`

const options = { expect: { type: 'string' }, wait: { type: 'string', default: '30' } } as const

await runTool({ action: 'Cannot test', usage, options, hasWords: true }, async ({ expect, wait }, words) => {
  const [url = ''] = words
  if (words.length !== 1 || !URL.canParse(url)) {
    throw new Error(
      `Cannot test: the address is "${words.join(' ')}", expected an address such as https://sluice.example.com`,
    )
  }
  const seconds = Number(wait)
  if (!(seconds >= 0 && seconds <= 600)) {
    throw new Error(`Cannot test: --wait is "${wait}", expected 0 to 600 seconds`)
  }
  await report(url, expect, seconds * 1000)
})

async function report(url: string, version: string | undefined, waitMs: number): Promise<void> {
  const deployment = await waitForDeployment(url, { version, waitMs })
  console.log(`Version ${deployment.version} with ${deployment.surfaces.join(', ')}`)
  for (const { check, answer } of await checkDeployment(url, deployment)) {
    const asked = `${check.method} ${check.path}`
    console.log(answer === null ? `ok    ${asked}` : `WRONG ${asked}: ${answer}; expected ${check.expected}`)
    if (answer !== null) process.exitCode = 1
  }
}
