/** `sluice field`: the outstations of a running simulation as sockets, for masters of any make. */

import { assertUpstream, parseWhole, runTool, stopSignal } from './command-line.ts'
import { type FieldPort, startFieldFront } from './field/front.ts'

const usage = `Usage: sluice field [OPTION ...]

  --upstream URL      the service (http://127.0.0.1:8080); a WebSocket must reach it, so not a front of sluice start
  --simulation NAME   the simulation (default)
  --host ADDRESS      address to listen on (127.0.0.1); masters need no password, so leave it there
  --port PORT         the port before that of bus 1 (15000): bus N is at PORT + N, phasor unit N at PORT + 500 + N;
                      0 for any ports
  --quiet             print nothing but errors
  --help              print this

Environment: FIELD_TOKEN, the token of the service's field.
Prints a line for each station with its protocol, address and port whenever a session begins.
SIGINT, SIGTERM or SIGHUP: sockets are closed, exit code 0; 1 when it cannot start.
`

const options = {
  upstream: { type: 'string', default: 'http://127.0.0.1:8080' },
  simulation: { type: 'string', default: 'default' },
  host: { type: 'string', default: '127.0.0.1' },
  port: { type: 'string', default: '15000' },
  quiet: { type: 'boolean', default: false },
} as const

await runTool({ action: 'Cannot start', usage, options }, async (flags) => {
  const { upstream: url, simulation, host, port: text, quiet } = flags
  const { FIELD_TOKEN: token = '' } = process.env
  assertUpstream(url)
  if (token === '') throw new Error('Cannot start: FIELD_TOKEN is not set, expected the token of the service')
  const port = parseWhole('Cannot start', '--port', text, { most: 64_000 })
  const stopped = stopSignal()
  // Nothing else keeps this process while the service is away.
  const keepAlive = setInterval(() => undefined, 60_000)
  const front = startFieldFront({
    upstream: { url, token, simulation },
    host,
    port,
    onOpen: (ports) => {
      if (!quiet) for (const line of ports.map((one) => describePort(host, one))) console.log(line)
    },
    warn: (message) => console.error(message),
  })
  await stopped
  clearInterval(keepAlive)
  await front.stop()
})

function describePort(host: string, { node, protocol, address, port }: FieldPort): string {
  return `${node} ${protocol} ${address} ${host}:${port}`
}
