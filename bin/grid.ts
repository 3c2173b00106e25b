/** `sluice grid`: any route of the grid simulation by its words. */

import { createWriteStream, writeFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { messageOf, reasonOf } from '#base/errors.ts'
import { type GridCall, isUnsuccessful, listRoutes, parseGridCall } from './grid/call.ts'
import { convertCase } from './grid/convert.ts'
import { makeDataset } from './grid/dataset.ts'
import { writeRunOfThread } from './grid/dataset-run.ts'
import { useScenarios } from './grid/scenario.ts'
import { scoreFiles } from './grid/score-files.ts'

const usage = `Usage: sluice grid WORD [WORD ...] [--NAME VALUE ...]

  The words are the path of a route: "sluice grid status", "sluice grid attack enable --type NOISE",
  "sluice grid events", "sluice grid export stix --output session.json". Options are the members of its body or the
  parameters of its query; values that are JSON are sent as JSON, others as text.

  --list               print every route
  --url URL            the service (http://127.0.0.1:8080)
  --simulation NAME    a named simulation instead of the default one
  --output FILE        write the answer to a file
  --file FILE          send a file as the body
  --help               print this

"sluice grid score --file ALERTS" scores the alerts of a detector against the running simulation; with --labels FILE
(of "export labels", or of a data set) against that file, without a service.

"sluice grid convert --file CASE --to tables|matpower|pandapower" reads a MATPOWER case file or a network of pandapower
and writes it in another form, without a service; --frequency HZ is that of a MATPOWER case (60), --name NAME the case's.

"sluice grid import CASE --name NAME" stores such a file in the service, for simulations with "network": NAME;
"sluice grid networks NAME --format tables|matpower|pandapower" reads it.

"sluice grid dataset SOURCE ... --out FOLDER" computes sessions of "export session" and scenarios (names of the library,
or files of YAML) as a labelled data set, without a service: --runs N of each (10) with --seed S (1), --jobs J side by
side (the processors), captures in files of --capture-mb M (64), and of --capture-seconds S where it is given.

"sluice grid scenario list" prints the scenarios of the library, "show NAME" one as a file, "check FILE ..." what is
wrong in files, "run NAME|FILE" plays one from start to end and tests its checks, with --out FOLDER for its captures,
labels, session and result, --json for the result as JSON; "schema" is for editors. None of them needs a service. A
document of "export session" plays back by "run FILE".

The token comes from the environment variable GRID_TOKEN. Exit code 0: done; 1: the service refused or failed;
2: the command line is wrong.
`

process.exitCode = await run(process.argv.slice(2))

async function run(args: readonly string[]): Promise<number> {
  if (args.length === 0 || args.includes('--help')) {
    process.stdout.write(usage)
    return 0
  }
  if (args.includes('--list')) {
    process.stdout.write(listRoutes())
    return 0
  }
  if (args[0] === 'scenario') return useScenarios(args.slice(1))
  if (args[0] === 'convert') return convertCase(args.slice(1))
  // `dataset` runs this command again in its threads.
  if (args[0] === 'dataset') return writeRunOfThread() ? 0 : makeDataset(args.slice(1))
  if (args[0] === 'score' && args.some((arg) => arg.startsWith('--labels'))) return scoreFiles(args.slice(1))
  let call: GridCall
  try {
    call = parseGridCall(args, process.env)
  } catch (error) {
    console.error(messageOf(error))
    return 2
  }
  return send(call)
}

async function send({ url, init, output }: GridCall): Promise<number> {
  try {
    const response = await fetch(url, init)
    if (!response.ok) return refused(url, response.status, await response.text())
    if (init.method !== 'GET') return reportAnswer(url, await response.text(), output)
    if (response.body === null) return 0
    // The platform's stream and Node's declare the same methods under two types.
    const body = Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0])
    await pipeline(body, output === undefined ? process.stdout : createWriteStream(output), {
      end: output !== undefined,
    })
    return 0
  } catch (error) {
    const { code } = error instanceof Error ? (error as NodeJS.ErrnoException) : {}
    // Who reads the output has left, as `head` does.
    if (code === 'EPIPE') return 0
    // An error of a file has a code, one of `fetch` has none.
    const state =
      code === undefined ? `reach ${url.origin}: ${reasonOf(error)}` : `write "${output}": ${messageOf(error)}`
    console.error(`Cannot ${state}`)
  }
  return 1
}

/** Prints the answer to a write. One that the service did not carry out has status 200 and `success` false. */
function reportAnswer(url: URL, text: string, output: string | undefined): number {
  if (isUnsuccessful(text)) return refused(url, 200, text)
  if (output === undefined) process.stdout.write(text)
  else writeFileSync(output, text)
  return 0
}

/** Prints a refusal; that of a token names the variable that the token comes from. */
function refused(url: URL, status: number, text: string): number {
  console.error(`${url.pathname} answered ${status}: ${text.trim()}`)
  if (status === 401) {
    const state = process.env.GRID_TOKEN ? 'is not the token of this service' : 'is not set'
    console.error(`GRID_TOKEN ${state}; "sluice token GRID_TOKEN" prints the one of a state folder`)
  }
  return 1
}
