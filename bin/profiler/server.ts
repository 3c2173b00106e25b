/**
 * Answers of `/debug/pprof/` under `npm start`. Workers ask it over a UNIX socket in a folder that only this user can
 * enter, after they have checked the operator's token; it asks the runtime's inspector.
 */

import { createServer, type ServerResponse } from 'node:http'
import { messageOf } from '#base/errors.ts'
import { listenPrivately } from '../start/unix-socket.ts'
import { type Inspector, openInspector, takeCpuProfile } from './inspector.ts'
import { toPprof } from './pprof.ts'

interface ProfilerOptions {
  /** Port of the runtime's inspector on 127.0.0.1; 0 where it is closed. */
  readonly inspectorPort: number
  /** The words of the command line; the values of its settings are not shown. */
  readonly commandLine: readonly string[]
}

/** The name that the inspector has for the Worker of the services begins with this. */
const workerName = 'index'

/** Seconds of the longest profile; the reference takes 30 where none are given. */
const mostSeconds = 60

const closed =
  'Cannot take a profile: the inspector of the runtime is closed, expected a start with --inspector-port PORT (see docs/operations.md)'

/** Profiles of the reference that this runtime has nothing for, and why. */
const absent: Readonly<Record<string, string>> = {
  allocs: 'the runtime samples no allocations; /debug/pprof/heap has what is alive',
  block: 'a Worker has one thread, which waits for no lock',
  goroutine: 'a Worker has one thread and no goroutines; /debug/pprof/profile has the stacks that ran',
  mutex: 'a Worker has one thread, which waits for no lock',
  symbol: 'profiles hold the names of their functions already',
  threadcreate: 'a Worker has one thread',
  trace: 'the runtime has no execution tracer; /debug/pprof/profile has the stacks that ran',
}

const index = `Profiles of the runtime, on the machine of npm start:

/debug/pprof/profile?seconds=30                    processor, for go tool pprof
/debug/pprof/profile?seconds=30&format=cpuprofile  processor, for the Performance panel of Chrome DevTools
/debug/pprof/heap                                  heap snapshot, for the Memory panel of Chrome DevTools
/debug/pprof/cmdline                               command line of npm start
`

/** Starts a profiler, which listens on a UNIX socket. */
export async function startProfiler({ inspectorPort, commandLine }: ProfilerOptions) {
  let isBusy = false

  async function take(response: ServerResponse, run: (inspector: Inspector) => Promise<void>): Promise<void> {
    if (inspectorPort === 0) return say(response, 501, closed)
    if (isBusy) return say(response, 429, 'Cannot take a profile: another one is being taken, expected it to end first')
    isBusy = true
    try {
      const inspector = await openInspector(inspectorPort, workerName)
      await run(inspector).finally(() => inspector.close())
    } catch (error) {
      if (response.headersSent) response.destroy()
      else say(response, 503, `Cannot take a profile: ${messageOf(error)}`)
    } finally {
      isBusy = false
    }
  }

  async function answer(url: URL, response: ServerResponse): Promise<void> {
    const name = url.pathname.replace(/^\/debug\/pprof\/?/, '')
    if (name === '') return say(response, 200, index)
    if (name === 'cmdline') return say(response, 200, withoutSecrets(commandLine).join('\0'))
    if (name === 'heap') return take(response, (inspector) => sendHeap(response, inspector))
    if (name === 'profile') {
      const [seconds, format] = [url.searchParams.get('seconds') ?? '30', url.searchParams.get('format') ?? 'pprof']
      const mistake = findMistake(seconds, format)
      if (mistake !== null) return say(response, 400, `Cannot take a profile: ${mistake}`)
      return take(response, (inspector) => sendProfile(response, inspector, Number(seconds), format))
    }
    if (Object.hasOwn(absent, name)) return say(response, 501, `There is no profile "${name}": ${absent[name]}`)
    say(response, 404, `There is no profile "${name.slice(0, 40)}", expected profile, heap or cmdline`)
  }

  const server = createServer((request, response) => {
    void answer(new URL(request.url ?? '/', 'http://profiler'), response)
  })
  const socket = await listenPrivately(server, 'sluice-profiler-')
  return { socketPath: socket.path, stop: () => socket.close(() => server.closeAllConnections()) }
}

/** A command line without the values of settings, which may be secrets. */
export function withoutSecrets(words: readonly string[]): readonly string[] {
  return words.map((word, at) => {
    if (words[at - 1] === '--var') return word.replace(/=.*/s, '=...')
    return word.replace(/^(--var=[^=]*=).*/s, '$1...')
  })
}

/** Finds the mistake of a request for a profile; null when there is none. */
function findMistake(seconds: string, format: string): string | null {
  const length = /^\d{1,3}$/.test(seconds) ? Number(seconds) : 0
  if (length < 1 || length > mostSeconds) return `seconds is "${seconds.slice(0, 40)}", expected 1 to ${mostSeconds}`
  if (format === 'pprof' || format === 'cpuprofile') return null
  return `format is "${format.slice(0, 40)}", expected pprof or cpuprofile`
}

async function sendProfile(response: ServerResponse, inspector: Inspector, seconds: number, format: string) {
  // A caller that leaves ends the profile.
  const left = new AbortController()
  response.once('close', () => left.abort())
  const profile = await takeCpuProfile(inspector, seconds * 1_000, left.signal)
  if (format === 'pprof') {
    response.writeHead(200, fileHeaders('cpu.pb.gz', 'application/octet-stream')).end(toPprof(profile, Date.now()))
  } else response.writeHead(200, fileHeaders('cpu.cpuprofile', 'application/json')).end(JSON.stringify(profile))
}

/** Streams a heap snapshot; the runtime answers nothing else while it writes it. */
async function sendHeap(response: ServerResponse, inspector: Inspector): Promise<void> {
  inspector.on('HeapProfiler.addHeapSnapshotChunk', (params) => {
    if (!response.headersSent) response.writeHead(200, fileHeaders('heap.heapsnapshot', 'application/json'))
    // The protocol's parameters of this event.
    response.write((params as { readonly chunk: string }).chunk)
  })
  await inspector.send('HeapProfiler.enable')
  await inspector.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false })
  response.end()
}

function fileHeaders(name: string, type: string) {
  const disposition = `attachment; filename="${name}"`
  return { 'content-type': type, 'content-disposition': disposition, 'cache-control': 'no-store' }
}

function say(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' })
  response.end(status === 200 ? text : `${text}\n`)
}
