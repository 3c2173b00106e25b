/** `sluice workerd`: a folder with which the runtime serves all surfaces without Node beside it. */

import { resolve } from 'node:path'
import { runTool } from './command-line.ts'
import { isPackage } from './project.ts'
import { writeRuntimeFolder } from './workerd/folder.ts'

const usage = `Usage: sluice workerd DIR [OPTION ...]

  DIR                  an empty folder, or one that this command has written

  --address ADDRESS    where the runtime listens (127.0.0.1:8080)
  --trust-proxy        take the client's address from cf-connecting-ip, which a proxy in front sets; without it
                       it is the address of the connection
  --help               print this

Writes the configuration of workerd (sluice.capnp), the Worker and the console's files. Then, in DIR:

  ADMIN_TOKEN=... GRID_TOKEN=... STREAMNET_TOKEN=... workerd serve sluice.capnp --experimental

Settings come from the environment; "sluice doctor --all" prints their names. There is no native
gRPC, no relay to stores and no check of the host; nothing starts the runtime again when it ends. State is in DIR/state;
one workerd may serve it at a time, and on Linux a second one does not start.
`

const options = {
  address: { type: 'string', default: '127.0.0.1:8080' },
  'trust-proxy': { type: 'boolean', default: false },
} as const

const action = 'Cannot write the configuration of workerd'

await runTool({ action, usage, options, hasWords: true }, async ({ address, 'trust-proxy': hasProxy }, folders) => {
  const [folder, ...others] = folders
  if (!folder || others.length > 0) {
    throw new Error(
      `${action}: ${folders.filter(Boolean).length} folders are named, expected one, as in sluice workerd /srv/sluice`,
    )
  }
  await write(resolve(folder), { address, hasProxy })
})

interface Listening {
  readonly address: string
  readonly hasProxy: boolean
}

async function write(folder: string, { address, hasProxy }: Listening): Promise<void> {
  if (!/^(\[[0-9a-f:.]+\]|[\w.*-]+):\d{1,5}$|^unix:.+$/i.test(address)) {
    throw new Error(`${action}: --address is "${address}", expected HOST:PORT or unix:PATH`)
  }
  if (!isPackage) {
    const { bundleConsole } = await import('./bundle-console.ts')
    const { bundleWorkers } = await import('./bundle-workers.ts')
    await Promise.all([bundleWorkers(['index']), bundleConsole()])
  }
  try {
    writeRuntimeFolder(folder, { address, hasProxy })
  } catch (error) {
    const { code, syscall } = error instanceof Error ? (error as NodeJS.ErrnoException) : {}
    if (syscall === undefined) throw error
    throw new Error(`${action}: ${folder} cannot be written (${code}), expected a folder of yours`, { cause: error })
  }
  console.log(`Written to ${folder}. Run there: workerd serve sluice.capnp --experimental`)
}
