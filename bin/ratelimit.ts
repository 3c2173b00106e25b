/** `node bin/run.mjs ratelimit`: check a configuration, push it to a service, or push what a directory or a control plane has. */

import { nearest } from '#base/nearest.ts'
import { readSettings } from '#ratelimit/settings.ts'
import { runTool } from './command-line.ts'
import { check, followXds, push, watch } from './ratelimit/commands.ts'

const usage = `Usage: sluice ratelimit COMMAND [OPTION ...]

  check DIR            compile the files below DIR and print every mistake
  push DIR             make the files below DIR the configuration of a running service
  watch                push what the RUNTIME_* settings name, now and at every change, until stopped
  xds                  push what the control plane of the CONFIG_GRPC_XDS_* settings sends, until stopped
  ask, tail            see sluice ratelimit ask -help and sluice ratelimit tail --help

  --reference          with check: print what the reference service would refuse of the files as well
  --prune              with push: remove the files of the service that are not in DIR; without it a push that
                       would remove one changes nothing and names them
  --url URL            the service, for push, watch and xds (http://127.0.0.1:8080)
  --json               print one JSON object per line
  --help               print this

The service's token comes from the environment variable ADMIN_TOKEN; MERGE_DOMAIN_CONFIG and
RUNTIME_IGNOREDOTFILES are honoured by every command. Exit code 0: done; 1: a mistake or a failure.
`

const options = {
  url: { type: 'string', default: 'http://127.0.0.1:8080' },
  prune: { type: 'boolean', default: false },
  reference: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
} as const

const commands = { check, push, watch, xds: followXds } as const
/** Commands whose settings name their source. */
const followers: readonly (string | undefined)[] = ['watch', 'xds']

await runTool({ action: 'Cannot run ratelimit', usage, options, hasWords: true }, async (values, words) => {
  const [name = '', directory, ...rest] = words
  const command = {
    settings: readSettings(ownVariables(), true),
    directory,
    url: values.url,
    removes: values.prune || followers.includes(name),
    isJson: values.json,
    isForReference: values.reference,
  }
  const isComplete = rest.length === 0 && followers.includes(name) === (directory === undefined)
  if (!isComplete || !isCommand(name))
    throw new Error(`Cannot run ratelimit: ${describeProblem(words)}\n${usage}`.trimEnd())
  process.exitCode = await commands[name](command)
})

function isCommand(name: string): name is keyof typeof commands {
  return Object.hasOwn(commands, name)
}

function describeProblem([name, ...rest]: readonly string[]): string {
  if (name === undefined) return 'there is no command'
  if (!isCommand(name)) {
    const near = nearest(name, Object.keys(commands))
    return `there is no command "${name}"${near === undefined ? '' : `; did you mean "${near}"?`}`
  }
  if (name === 'watch') return 'watch takes no folder; RUNTIME_ROOT and its companions name it'
  if (name === 'xds') return 'xds takes no folder; CONFIG_GRPC_XDS_SERVER_URL names the control plane'
  return rest.length === 0 ? `${name} needs a folder` : `${name} takes one folder, not ${rest.length}`
}

/** The variables that these commands honour; another of the machine, such as a PORT of another program, must not stop them. */
function ownVariables(): Readonly<Record<string, unknown>> {
  const own = /^(RUNTIME_|CONFIG_GRPC_XDS_|XDS_CLIENT_|MERGE_DOMAIN_CONFIG$)/
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => own.test(name)))
}
