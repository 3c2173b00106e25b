/** The commands of `sluice`: what each is for, its subcommands, examples, and the module that runs it. */

/** One command; its module reads `process.argv` when it is imported. */
export interface Command {
  readonly name: string
  /** The second word, where the command is one of a group. */
  readonly subcommand?: string
  readonly about: string
  readonly example: string
  readonly load: () => Promise<unknown>
  /** Words before the arguments that the module itself reads. */
  readonly keeps?: readonly string[]
}

/** A command of the group that one module runs. */
const ratelimit = (subcommand: string, about: string, example: string): Command => ({
  name: 'ratelimit',
  subcommand,
  about,
  example,
  load: () => import('../ratelimit.ts'),
  keeps: [subcommand],
})

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  {
    name: 'start',
    about: 'run the three services on this machine',
    example: 'sluice start --port 8080 --config rules',
    load: () => import('../start.ts'),
  },
  {
    name: 'console',
    about: 'print a link that signs in to the console of a running start',
    example: 'sluice console --persist /var/lib/sluice',
    load: () => import('../start/console.ts'),
  },
  ratelimit('check', 'compile the configuration in a folder and print every mistake', 'sluice ratelimit check rules'),
  ratelimit(
    'push',
    'make a folder the configuration of a running service',
    'ADMIN_TOKEN=... sluice ratelimit push rules --url http://127.0.0.1:8080',
  ),
  ratelimit(
    'watch',
    'follow the directory of the RUNTIME_ settings and push what changes',
    'RUNTIME_ROOT=/srv/runtime RUNTIME_SUBDIRECTORY=ratelimit sluice ratelimit watch',
  ),
  ratelimit(
    'xds',
    'follow a control plane (xDS) and push the rules that it sends',
    'CONFIG_GRPC_XDS_SERVER_URL=localhost:18000 sluice ratelimit xds --url https://limits.example.com',
  ),
  {
    name: 'ratelimit',
    subcommand: 'ask',
    about: "ask for a decision, with the flags of the reference's client",
    example: 'sluice ratelimit ask -dial_string localhost:8081 -domain shop -descriptors login=me',
    load: () => import('../ratelimit-client.ts'),
  },
  {
    name: 'ratelimit',
    subcommand: 'tail',
    about: 'print the statistics of decisions as they change',
    example: 'ADMIN_TOKEN=... sluice ratelimit tail --domain shop',
    load: () => import('../ratelimit-tail.ts'),
  },
  {
    name: 'field',
    about: 'open the outstations of a simulation as sockets, for masters of any make',
    example: 'FIELD_TOKEN=... sluice field --upstream https://grid.example.com --simulation drill',
    load: () => import('../field.ts'),
  },
  {
    name: 'grpc-front',
    about: 'native gRPC in front of a deployed rate limit service',
    example: 'sluice grpc-front --upstream https://limits.example.com',
    load: () => import('../grpc-front.ts'),
  },
  {
    name: 'streamnet',
    about: 'run an operation of the stream network by its name; --list prints them',
    example: 'sluice streamnet list_streams --endpoint http://127.0.0.1:8484 --limit 3',
    load: () => import('../streamnet.ts'),
  },
  {
    name: 'grid',
    about: 'call a route of the grid simulation by its words; --list prints them',
    example: 'GRID_TOKEN=... sluice grid attack enable --type NOISE',
    load: () => import('../grid.ts'),
  },
  {
    name: 'token',
    about: 'print the tokens of a state folder, or make a new one',
    example: 'eval "$(sluice token --shell)"',
    load: () => import('../token.ts'),
  },
  {
    name: 'doctor',
    about: 'print the settings in force, where each came from, and what is wrong',
    example: 'sluice doctor --persist /var/lib/sluice',
    load: () => import('../doctor.ts'),
  },
  {
    name: 'health',
    about: 'ask a running start whether every part is ready',
    example: 'sluice health --url http://127.0.0.1:8080',
    load: () => import('../health.ts'),
  },
  {
    name: 'smoke',
    about: 'test a deployment from outside: its parts are ready, answer, and are closed to strangers',
    example: 'sluice smoke https://sluice.example.com --expect 0.1.0',
    load: () => import('../smoke.ts'),
  },
  {
    name: 'workerd',
    about: 'write a folder with which workerd serves all surfaces without Node',
    example: 'sluice workerd /srv/sluice',
    load: () => import('../workerd.ts'),
  },
]

/** The words after `sluice` that lead to a command. */
export function wordsOf({ name, subcommand }: Command): string {
  return subcommand === undefined ? name : `${name} ${subcommand}`
}
