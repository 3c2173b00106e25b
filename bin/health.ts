/** `sluice health`: asks a running start whether it is healthy, for the health check of a container. */

import { readVariables } from '#base/variables.ts'
import { settingTable } from '#ratelimit/setting-table.ts'
import { runTool } from './command-line.ts'
import { ownAddress } from './start/listeners.ts'

const usage = `Usage: sluice health [OPTION ...]

  --url URL            the service (the address that HOST and PORT name, http://127.0.0.1:8080)
  --help               print this

Exit code 0: every part is ready; 1: a part is not, or no answer within five seconds.
`

/** A service that does not answer within this many milliseconds is not healthy. */
const timeoutMs = 5_000

await runTool({ action: 'Cannot ask for health', usage, options: { url: { type: 'string' } } }, ({ url }) =>
  ask(url ?? addressOfStart()),
)

/** Address at which a start with the same environment listens. */
function addressOfStart(): string {
  const { HOST, PORT } = readVariables({ HOST: settingTable.HOST, PORT: settingTable.PORT }, process.env)
  return ownAddress(HOST, PORT)
}

async function ask(url: string): Promise<void> {
  if (!URL.canParse(url)) {
    throw new Error(`Cannot ask for health: --url is "${url}", expected an address such as http://127.0.0.1:8080`)
  }
  const response = await fetch(new URL('/readyz', url), { signal: AbortSignal.timeout(timeoutMs) }).catch(
    (cause: unknown) => {
      throw new Error(`Cannot ask for health: ${url} does not answer`, { cause })
    },
  )
  process.stdout.write(`${(await response.text()).trim()}\n`)
  if (!response.ok) process.exitCode = 1
}
