/** A poll of a master at the field's front: the time from a question on its socket to the answer, while the clock runs. */

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type FieldPort, startFieldFront } from '#bin/field/front.ts'
import { startBundle } from '#test/support/bundle.ts'
import { gridClient, gridToken } from '#test/support/grid-service.ts'
import { eventually } from '#test/support/wait.ts'
import { median, printTable } from './report.ts'

const polls = Number(process.env.BENCH_POLLS ?? 2_000)
const token = 'e'.repeat(32)
const bundle = await startBundle({ worker: 'grid', rebuild: true, vars: { GRID_TOKEN: gridToken, FIELD_TOKEN: token } })
const client = gridClient(bundle.url)
await client.post('/sim/config', { seed: 7, auto_pause_s: 0 })
let opened: ((ports: readonly FieldPort[]) => void) | undefined
const opening = new Promise<readonly FieldPort[]>((resolve) => {
  opened = resolve
})
const front = startFieldFront({
  upstream: { url: bundle.runtimeUrl, token, simulation: 'default' },
  host: '127.0.0.1',
  port: 0,
  onOpen: (ports) => opened?.(ports),
  warn: (line) => console.error(line),
})

/** Reads two input registers, one value, of a Modbus station (MODBUS Application Protocol 6.4); resolves with the answer's octets. */
async function poll(socket: Socket, unit: number, turn: number): Promise<number> {
  const question = Buffer.from([turn >> 8, turn & 0xff, 0, 0, 0, 6, unit, 4, 0, 0, 0, 2])
  const answered = once(socket, 'data')
  socket.write(question)
  const [answer] = (await answered) as [Buffer]
  if (answer[7] !== 4) throw new Error(`Cannot measure: the station answered ${answer.toString('hex')}`)
  return answer.length
}

/** Milliseconds of each poll, one after the other. */
async function pollAll(socket: Socket, unit: number): Promise<readonly number[]> {
  const times: number[] = []
  for (let turn = 1; turn <= polls; turn++) {
    const start = performance.now()
    await poll(socket, unit, turn)
    times.push(performance.now() - start)
  }
  return times
}

try {
  const station = (await opening).find(({ protocol }) => protocol === 'Modbus')
  if (station === undefined) throw new Error('Cannot measure: the case has no Modbus station')
  const socket = connect(station.port, '127.0.0.1')
  await once(socket, 'connect')
  socket.setNoDelay(true)
  await client.post('/sim/start', {})
  await eventually(
    'the station has a sample',
    () =>
      poll(socket, station.address, 0).then(
        () => true,
        () => false,
      ),
    () => 'it answers with an exception',
  )
  await pollAll(socket, station.address)
  const rows: string[][] = []
  for (const [name, path] of [
    ['stopped', '/sim/stop'],
    ['running at speed 1', '/sim/start'],
  ] as const) {
    await client.post(path, {})
    const times = [...(await pollAll(socket, station.address))].sort((one, other) => one - other)
    const [middle, late] = [median(times), times[Math.floor(times.length * 0.99)] ?? Number.NaN]
    rows.push([name, `${middle.toFixed(2)} ms`, `${late.toFixed(2)} ms`, '2 ms'])
  }
  console.log(`${polls} polls of one Modbus station of case14, one after the other.\n`)
  printTable(['clock', 'median', '99 %', 'aim of the median'], rows)
  socket.destroy()
} finally {
  await front.stop()
  await bundle.stop()
}
